import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import type { StaffRole } from '../db/schema.ts';
import { ProblemError } from '../platform/http/problem.ts';
import { type Principal, requireVerified } from './authentication.ts';
import type { Session } from './sessions.ts';

/** Hours after entering the password in which a session can use the staff functions. */
const staffSignInHours = 12;

/**
 * Requires an account with one of the roles, a second factor, and a password entered within the last 12 hours.
 * @throws ProblemError auth/unauthenticated, auth/unverified-email, permission-denied, auth/requires-recent-login
 */
export async function requireStaff(db: Db, principal: Principal, roles: readonly StaffRole[]): Promise<Session> {
  const session = requireVerified(principal);
  const { rows } = await sql<{ hasSecondFactor: boolean; isFresh: boolean }>`
    select exists (select from authenticators where account_id = ${session.account.id} and confirmed_at is not null)
        or exists (select from passkeys where account_id = ${session.account.id}) as "hasSecondFactor",
      s.authenticated_at between now() - make_interval(hours => ${staffSignInHours})
        and now() + make_interval(hours => ${staffSignInHours}) as "isFresh"
    from sessions s
    where s.id = ${session.id} and exists (
      select from staff_roles r where r.account_id = s.account_id and r.role = any(${[...roles]})
        and (r.ends_at is null or r.ends_at > now()))`.execute(db);
  const staff = rows[0];
  if (!staff) throw new ProblemError('permission-denied');
  if (!staff.hasSecondFactor)
    throw new ProblemError('permission-denied', {
      detail: 'Staff need a second factor. Set up an authenticator app or a passkey in the settings.',
    });
  if (!staff.isFresh) throw new ProblemError('auth/requires-recent-login');
  return session;
}

/** A role of an account. */
export interface StaffMember {
  readonly email: string;
  readonly role: StaffRole;
  readonly grantedAt: Date;
  /** Null if the role does not end. */
  readonly endsAt: Date | null;
  readonly hasSecondFactor: boolean;
}

/** Returns all roles, by address. */
export async function findStaff(db: Db): Promise<StaffMember[]> {
  const { rows } = await sql<StaffMember>`
    select a.email, r.role, r.granted_at as "grantedAt", r.ends_at as "endsAt",
      exists (select from authenticators f where f.account_id = a.id and f.confirmed_at is not null)
        or exists (select from passkeys p where p.account_id = a.id) as "hasSecondFactor"
    from staff_roles r join accounts a on a.id = r.account_id order by a.email, r.role`.execute(db);
  return rows;
}

/** Grants a role, or changes its end. @param endsAt null for no end */
export async function grantRole(db: Db, accountId: string, role: StaffRole, endsAt: Date | null): Promise<void> {
  await db
    .insertInto('staff_roles')
    .values({ account_id: accountId, role, ends_at: endsAt })
    .onConflict((conflict) => conflict.columns(['account_id', 'role']).doUpdateSet({ ends_at: endsAt }))
    .execute();
}

/** Removes one role of an account, or all. @returns the number of removed roles */
export async function removeRoles(db: Db, accountId: string, role?: StaffRole): Promise<number> {
  let query = db.deleteFrom('staff_roles').where('account_id', '=', accountId);
  if (role !== undefined) query = query.where('role', '=', role);
  const { numDeletedRows } = await query.executeTakeFirst();
  return Number(numDeletedRows);
}
