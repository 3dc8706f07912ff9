import type { StaffPageDefinition } from './define-page.ts';

/** The pages of the staff console by the first part of their path, in the order of the navigation. `/staff` opens the first one. */
export const staffPages: Readonly<Record<string, StaffPageDefinition<unknown>>> = {};
