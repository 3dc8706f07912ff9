import { sql } from 'kysely';
import type * as z from 'zod/mini';
import type { GrantedRole } from '#contract/staff/roles.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { StaffRole } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import { recordStaffAction } from './audit-log.ts';

type RoleRow = z.input<typeof GrantedRole> & { readonly accountId: string };

/** SQL condition: the row `r` of `staff_roles` has not ended. */
export const isActiveRole = sql<boolean>`(r.ends_at is null or r.ends_at > now())`;

const hasFactor = sql<boolean>`(exists (select from authenticators f where f.account_id = r.account_id and f.confirmed_at is not null)
  or exists (select from passkeys k where k.account_id = r.account_id))`;

/**
 * SQL condition: the role of the row `r` of `staff_roles` has an effect: its account has a second factor that does not
 * wait for an approval.
 */
export const isReadyStaff = sql<boolean>`(${hasFactor}
  and exists (select from accounts h where h.id = r.account_id and h.console_held_at is null))`;

export async function findGrantedRoles(db: Db): Promise<RoleRow[]> {
  const { rows } = await sql<RoleRow>`
    select r.id, r.account_id as "accountId", a.email, r.role, r.college, r.department, r.year_from as "yearFrom",
      r.year_to as "yearTo", r.granted_at as "grantedAt", r.ends_at as "endsAt", a.display_name as name,
      ${hasFactor} as "hasSecondFactor"
    from staff_roles r join accounts a on a.id = r.account_id order by a.email, r.role, r.id`.execute(db);
  return rows;
}

interface RoleGrant {
  readonly accountId: string;
  readonly role: StaffRole;
  readonly scope: StaffScope;
  readonly endsAt: Date | null;
}

/**
 * Cancels a pending email change, before an account gets a role: staff may have requested it, and its link works in a
 * mailbox that may be theirs.
 */
export async function cancelAddressChange(tx: Db, accountId: string): Promise<void> {
  await tx.updateTable('accounts').set({ pending_email: null }).where('id', '=', accountId).execute();
}

/**
 * Grants a role, or changes the end of a role with the same scope.
 * @param grantedBy null for the operator
 * @returns the id of the role
 */
export async function grantRole(
  tx: Db,
  { accountId, role, scope, endsAt }: RoleGrant,
  grantedBy: string | null,
): Promise<string> {
  const { college, department, yearFrom, yearTo } = scope;
  await cancelAddressChange(tx, accountId);
  const { rows } = await sql<{ id: string }>`
    insert into staff_roles (account_id, role, college, department, year_from, year_to, granted_by, ends_at)
    values (${accountId}, ${role}, ${college}, ${department}, ${yearFrom}, ${yearTo}, ${grantedBy}, ${endsAt})
    on conflict (account_id, role, coalesce(college, ''), coalesce(department, ''), coalesce(year_from, 0), coalesce(year_to, 0))
      do update set ends_at = excluded.ends_at, end_notice_at = null
    returning id`.execute(tx);
  await recordStaffAction(tx, {
    actor: grantedBy,
    action: 'role-granted',
    subject: { kind: 'account', id: accountId },
    details: { role },
  });
  return rows[0]?.id ?? '';
}

export async function removeRoles(
  tx: Db,
  accountId: string,
  removedBy: string | null,
  only: { readonly role?: StaffRole; readonly id?: string } = {},
): Promise<number> {
  let query = tx.deleteFrom('staff_roles').where('account_id', '=', accountId);
  if (only.role !== undefined) query = query.where('role', '=', only.role);
  if (only.id !== undefined) query = query.where('id', '=', only.id);
  const removed = await query.returning('role').execute();
  for (const { role } of removed)
    await recordStaffAction(tx, {
      actor: removedBy,
      action: 'role-removed',
      subject: { kind: 'account', id: accountId },
      details: { role },
    });
  return removed.length;
}

/** Locks the roles of all owners. @returns the accounts that are owners now and are active */
export async function lockOwners(tx: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.account_id as id from staff_roles r join accounts a on a.id = r.account_id
    where r.role = 'owner' and ${isActiveRole} and a.is_active order by r.id for update of r`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Returns whether an account is the only owner. If it is an owner, the roles of all owners are locked. */
export async function isOnlyOwner(tx: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from staff_roles where account_id = ${accountId} and role = 'owner'`.execute(tx);
  if (rows.length === 0) return false;
  const owners = await lockOwners(tx);
  return owners.includes(accountId) && owners.every((id) => id === accountId);
}
