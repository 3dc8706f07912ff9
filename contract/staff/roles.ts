import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { calendarDay, Email, Id } from '../fields.ts';
import { fieldLengths } from '../field-lengths.ts';
import { earliestYear } from '../filter-limits.ts';
import { type StaffScope, StaffScope as Scope } from './scope.ts';
import { type StaffRole, staffRoles } from './values.ts';

/** Returns whether a role can be limited in this way. A class representative must be; an owner cannot be. */
export function isScopeOf(role: StaffRole, { college, department, yearFrom, yearTo }: StaffScope): boolean {
  if (role === 'class-representative')
    return college === null && department !== null && yearFrom !== null && yearTo !== null && yearFrom <= yearTo;
  return department === null && yearFrom === null && yearTo === null && (role !== 'owner' || college === null);
}

export const GrantedRole = z.object({
  id: Id,
  email: z.string(),
  /** Null without a profile. */
  name: z.nullable(z.string()),
  role: z.enum(staffRoles),
  ...Scope.shape,
  grantedAt: Timestamp,
  endsAt: z.nullable(Timestamp),
  hasSecondFactor: z.boolean(),
});
export type GrantedRole = z.infer<typeof GrantedRole>;

/** A role for an address that no account has verified yet. */
export const Invitation = z.object({
  id: Id,
  email: z.string(),
  role: z.enum(staffRoles),
  ...Scope.shape,
  invitedBy: z.string(),
  expiresAt: Timestamp,
});
export type Invitation = z.infer<typeof Invitation>;

const Name = z.string().check(z.minLength(1), z.maxLength(fieldLengths.lineMax));
const Year = z.int().check(z.minimum(earliestYear), z.maximum(2200));

const roleProblems = ['staff/refused'] as const;

export const staffRoleEndpoints = defineEndpoints({
  'GET /api/staff/roles': {
    summary: 'List all roles, and the invitations to roles. Only for owners, like all endpoints for roles',
    access: { staff: 'roles' },
    response: z.object({ roles: z.array(GrantedRole), invitations: z.array(Invitation) }),
  },
  'POST /api/staff/roles': {
    summary:
      'Grant a role, change its end, or replace it. Another owner must approve a new owner, a change of another owner, or a later end for an owner. An address without a verified account is invited',
    access: { staff: 'roles' },
    needsRecentPassword: true,
    body: z.strictObject({
      email: Email,
      role: z.enum(staffRoles),
      college: z.nullable(Name),
      department: z.nullable(Name),
      yearFrom: z.nullable(Year),
      yearTo: z.nullable(Year),
      /** The last day, in UTC. Null: the role does not end. */
      lastDay: z.nullable(calendarDay('Enter a date that exists')),
      /** A role of the same account that ends when this one begins. Not that of an owner. */
      replaces: z.optional(Id),
    }),
    response: z.object({ result: z.enum(['granted', 'requested', 'invited']) }),
    problems: roleProblems,
  },
  'DELETE /api/staff/invitations/{id}': {
    summary: 'Withdraw an invitation to a role',
    access: { staff: 'roles' },
    params: z.strictObject({ id: Id }),
    problems: ['not-found'],
  },
  'DELETE /api/staff/roles/{id}': {
    summary: 'Remove a role. Another owner must approve the removal of an owner. The last owner cannot be removed',
    access: { staff: 'roles' },
    needsRecentPassword: true,
    params: z.strictObject({ id: Id }),
    response: z.object({ result: z.enum(['removed', 'requested']) }),
    problems: [...roleProblems, 'not-found'],
  },
});
