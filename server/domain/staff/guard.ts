import type * as z from 'zod/mini';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { OwnStaff, StaffScope } from '#contract/staff/scope.ts';
import {
  noticeHours,
  type StaffRight,
  type StaffRole,
  staffRightNames,
  staffRights,
  unlimitedRights,
} from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { type Principal, type VerifiedSession, requireVerified } from '../accounts/authentication.ts';
import type { Session } from '../accounts/sessions.ts';
import { isActiveRole, isReadyStaff } from './roles.ts';

const staffSignInHours = 12;

export interface Staff {
  readonly session: VerifiedSession;
  readonly accountId: string;
  readonly scopes: readonly StaffScope[];
}

export interface StaffOfAny extends Omit<Staff, 'scopes'> {
  /** Only the rights that the member of staff has: at least one. */
  readonly scopesOf: ReadonlyMap<StaffRight, readonly StaffScope[]>;
}

/**
 * Requires an account with a role that has the right, a second factor without a pending approval, and a password
 * entered within the last 12 hours.
 * @throws ProblemError auth/unauthenticated, auth/unverified-email, permission-denied, auth/requires-recent-login
 */
export async function requireStaff(db: Db, principal: Principal, right: StaffRight): Promise<Staff> {
  const { scopesOf, ...staff } = await requireStaffOfAny(db, principal, [right]);
  return { ...staff, scopes: scopesOf.get(right) ?? [] };
}

export async function requireStaffOfAny(
  db: Db,
  principal: Principal,
  rights: readonly StaffRight[],
): Promise<StaffOfAny> {
  const session = requireVerified(principal);
  const { roles, hasSecondFactor, isHeld, isFresh } = await findOwnRoles(db, session);
  const scopesOf = new Map(
    rights
      .map((right) => [right, roles.filter((role) => hasRight(role, right))] as const)
      .filter(([, scopes]) => scopes.length > 0),
  );
  if (scopesOf.size === 0) throw new ProblemError('permission-denied');
  if (!hasSecondFactor)
    throw new ProblemError('permission-denied', {
      detail: 'Staff need a second factor. Set up an authenticator app or a passkey in the settings.',
    });
  if (isHeld)
    throw new ProblemError('permission-denied', {
      detail: `Your new second factor waits for the approval of an owner. Without one, the staff console opens ${noticeHours} hours after you added it.`,
    });
  if (!isFresh) throw new ProblemError('auth/requires-recent-login');
  return { session, accountId: session.account.id, scopesOf };
}

/**
 * Requires the password of the last 12 hours, as `requireStaff` does, for an action of staff outside the console.
 * @throws ProblemError auth/requires-recent-login
 */
export async function requireFreshSession(db: Db, session: Session): Promise<void> {
  if (!(await findOwnRoles(db, session)).isFresh) throw new ProblemError('auth/requires-recent-login');
}

const hasRight = ({ role, ...scope }: { role: StaffRole } & StaffScope, right: StaffRight): boolean =>
  (staffRights[right] as readonly StaffRole[]).includes(role) &&
  (isUnlimited(scope) || !unlimitedRights.includes(right));

export const isUnlimited = ({ college, department }: StaffScope): boolean => college === null && department === null;

export async function findOwnStaff(db: Db, principal: Principal): Promise<z.input<typeof OwnStaff>> {
  const { roles, hasSecondFactor, isHeld, isFresh } = await findOwnRoles(db, requireVerified(principal));
  if (roles.length === 0) throw new ProblemError('permission-denied');
  return {
    roles: [...roles],
    rights: staffRightNames.filter((right) => roles.some((role) => hasRight(role, right))),
    obstacle: !hasSecondFactor ? 'second-factor' : isHeld ? 'approval' : isFresh ? null : 'password',
  };
}

/**
 * Returns the scopes in which an active account has a right, by right: for parts of an answer, and for jobs that act
 * later for the account.
 */
export async function findScopes(db: Db, accountId: string): Promise<(right: StaffRight) => readonly StaffScope[]> {
  const { rows } = await sql<{ role: StaffRole } & StaffScope>`
    select r.role, r.college, r.department, r.year_from as "yearFrom", r.year_to as "yearTo"
    from staff_roles r join accounts a on a.id = r.account_id
    where a.id = ${accountId} and a.is_active and (r.ends_at is null or r.ends_at > now())
    order by r.role, r.id`.execute(db);
  return (right) => rows.filter((role) => hasRight(role, right));
}

/** Returns the active accounts that have a right in the whole institution, and a second factor. */
export async function findStaffWithRight(db: Db, right: StaffRight): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct r.account_id as id from staff_roles r join accounts a on a.id = r.account_id
    where a.is_active and ${isActiveRole} and ${isReadyStaff} and r.role = any(${[...staffRights[right]]}::text[])
      and r.college is null and r.department is null
    order by 1`.execute(db);
  return rows.map(({ id }) => id);
}

interface OwnRoles {
  readonly roles: readonly ({ role: StaffRole; endsAt: Date | null } & StaffScope)[];
  readonly hasSecondFactor: boolean;
  readonly isHeld: boolean;
  readonly isFresh: boolean;
}

async function findOwnRoles(db: Db, { id, account }: Session): Promise<OwnRoles> {
  const { rows } = await sql<OwnRoles['roles'][number] & Omit<OwnRoles, 'roles'>>`
    select r.role, r.college, r.department, r.year_from as "yearFrom", r.year_to as "yearTo", r.ends_at as "endsAt",
      exists (select from authenticators where account_id = r.account_id and confirmed_at is not null)
        or exists (select from passkeys where account_id = r.account_id) as "hasSecondFactor",
      a.console_held_at is not null as "isHeld",
      s.authenticated_at between now() - make_interval(hours => ${staffSignInHours})
        and now() + make_interval(hours => ${staffSignInHours}) as "isFresh"
    from staff_roles r join sessions s on s.account_id = r.account_id join accounts a on a.id = r.account_id
    where r.account_id = ${account.id} and s.id = ${id} and (r.ends_at is null or r.ends_at > now())
    order by r.role, r.id`.execute(db);
  const { hasSecondFactor = false, isHeld = false, isFresh = false } = rows[0] ?? {};
  return { roles: rows, hasSecondFactor, isHeld, isFresh };
}

export interface ScopeColumns {
  readonly college: RawBuilder<unknown>;
  readonly department: RawBuilder<unknown>;
  readonly yearGraduated: RawBuilder<unknown>;
}

export const profileScopeColumns = (alias: string): ScopeColumns => ({
  college: sql.ref(`${alias}.college`),
  department: sql.ref(`${alias}.department`),
  yearGraduated: sql.ref(`${alias}.year_graduated`),
});

/**
 * Returns the SQL condition that a person is in one of the scopes. Each query of staff contains it, so that nothing
 * outside the scope leaves the database. A person without a profile is only in the scope of the whole institution. No
 * scope contains no one.
 */
export const isInScope = (scopes: readonly StaffScope[], { college, department, yearGraduated }: ScopeColumns) =>
  scopes.some(isUnlimited) || scopes.length === 0
    ? sql<SqlBool>`${sql.lit(scopes.length > 0)}`
    : sql<SqlBool>`(${sql.join(
        scopes.map((scope) =>
          scope.college === null
            ? sql`coalesce(${department} = ${scope.department} and ${yearGraduated} between ${scope.yearFrom} and ${scope.yearTo}, false)`
            : sql`coalesce(${college} = ${scope.college}, false)`,
        ),
        sql` or `,
      )})`;

/** @param alias of the table `profiles` in the query */
export const isProfileInScope = (scopes: readonly StaffScope[], alias: string) =>
  isInScope(scopes, profileScopeColumns(alias));
