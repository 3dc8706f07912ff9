import { useLoaderData } from 'react-router';
import type { OwnStaff } from '#contract/staff/scope.ts';
import type { StaffRight } from '#contract/staff/values.ts';

/** Works only on a page of the staff console. */
export const useRights = (): readonly StaffRight[] => useLoaderData<{ staff: OwnStaff }>().staff.rights;

export const useApprover = (): string => (useRights().includes('approvals') ? 'another owner' : 'an owner');
