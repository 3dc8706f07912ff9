import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';

/** Roles of staff, from the one with the most rights. */
export const staffRoles = ['owner', 'registrar', 'moderator', 'class-representative'] as const;
export type StaffRole = (typeof staffRoles)[number];

/** What staff may do, and the roles that may do it. Each staff endpoint requires one of these rights. */
export const staffRights = {
  /** Decide claims and disputes. */
  claims: ['owner', 'registrar'],
  /** Decide reports, take photos down, suspend accounts. */
  reports: ['owner', 'moderator'],
  /** Propose that an entry of the roster is wrong. */
  'propose-corrections': ['owner', 'registrar', 'class-representative'],
  /** Decide proposed corrections. */
  corrections: ['owner', 'registrar'],
  /** Search for people in all states, and read their file with a reason. */
  people: ['owner', 'registrar', 'moderator'],
  /** Suspend an account, and end the suspension. */
  'suspend-accounts': ['owner', 'moderator'],
  /** End sessions, change an address, delete an account on request. */
  'change-accounts': ['owner', 'registrar'],
  /** Download people as CSV. */
  'export-people': ['owner', 'registrar'],
  /** Import the roster, and print codes. Only without a scope. */
  roster: ['owner', 'registrar'],
  coverage: ['owner', 'registrar', 'moderator', 'class-representative'],
  announcements: ['owner', 'registrar'],
  /** Approve what another member of staff has requested. */
  approvals: ['owner'],
  /** Stop a request of another member of staff that waits for an approval. */
  'cancel-approvals': ['owner', 'registrar', 'moderator', 'class-representative'],
  'audit-log': ['owner'],
  roles: ['owner'],
} as const satisfies Record<string, readonly StaffRole[]>;
export type StaffRight = keyof typeof staffRights;
export const staffRightNames = Object.keys(staffRights) as StaffRight[];

/** The part of the institution that a role is limited to. Null: not limited. A class representative has a department and years. */
export const StaffScope = z.object({
  college: z.nullable(z.string()),
  department: z.nullable(z.string()),
  yearFrom: z.nullable(z.int()),
  yearTo: z.nullable(z.int()),
});
export type StaffScope = z.infer<typeof StaffScope>;

/** The scope of the whole institution. */
export const wholeInstitution: StaffScope = { college: null, department: null, yearFrom: null, yearTo: null };

/** The signed-in member of staff. */
export const OwnStaff = z.object({
  roles: z.array(z.object({ role: z.enum(staffRoles), ...StaffScope.shape, endsAt: z.nullable(z.string()) })),
  rights: z.array(z.enum(staffRightNames)),
  /** What the staff console needs first: a second factor, or the password, which is valid for 12 hours. */
  obstacle: z.nullable(z.enum(['second-factor', 'password'])),
});
export type OwnStaff = z.infer<typeof OwnStaff>;

/** Problems of every staff endpoint. */
export const staffProblems = [
  'auth/unauthenticated',
  'auth/unverified-email',
  'permission-denied',
  'auth/requires-recent-login',
] as const;

export const staffEndpoints = defineEndpoints({
  'GET /api/staff/me': {
    summary: 'Get the roles and rights of the caller. The only staff endpoint that works without a second factor',
    response: OwnStaff,
    problems: ['auth/unauthenticated', 'auth/unverified-email', 'permission-denied'],
  },
});
