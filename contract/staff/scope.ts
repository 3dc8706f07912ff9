import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { staffRoles, staffRightNames } from './values.ts';

/**
 * The part of the institution that a role is limited to. Null: not limited. A class representative has a department and
 * years.
 */
export const StaffScope = z.object({
  college: z.nullable(z.string()),
  department: z.nullable(z.string()),
  yearFrom: z.nullable(z.int()),
  yearTo: z.nullable(z.int()),
});
export type StaffScope = z.infer<typeof StaffScope>;

export const wholeInstitution: StaffScope = { college: null, department: null, yearFrom: null, yearTo: null };

export const OwnStaff = z.object({
  roles: z.array(z.object({ role: z.enum(staffRoles), ...StaffScope.shape, endsAt: z.nullable(Timestamp) })),
  rights: z.array(z.enum(staffRightNames)),
  /**
   * What the staff console needs first: a second factor, the approval of a new one, or the password, which is valid for
   * 12 hours.
   */
  obstacle: z.nullable(z.enum(['second-factor', 'approval', 'password'])),
});
export type OwnStaff = z.infer<typeof OwnStaff>;

const firstSteps = ['institution', 'roster', 'codes', 'owners', 'backup'] as const;
export type FirstStep = (typeof firstSteps)[number];

export const staffEndpoints = defineEndpoints({
  'GET /api/staff/me': {
    summary: 'Get the roles and rights of the caller. The only staff endpoint that works without a second factor',
    access: 'staff',
    response: OwnStaff,
  },
  'GET /api/staff/first-steps': {
    summary: 'List the steps that set up a new archive, and whether they are done',
    access: { staff: 'roles' },
    response: z.object({ steps: z.array(z.object({ step: z.enum(firstSteps), isDone: z.boolean() })) }),
  },
});
