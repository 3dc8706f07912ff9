import { sql } from 'kysely';
import type { StaffRole } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { type Staff, isProfileInScope } from './guard.ts';
import { isActiveRole } from './roles.ts';

const actingRoles: ReadonlySet<StaffRole> = new Set(['registrar', 'moderator']);

/**
 * Returns why staff cannot act on an account with these roles: only the operator acts on owners, and only owners on
 * other staff, because an act on their account could be used to take over or to remove a role.
 * @param isOwner whether the caller is an owner
 */
const findProtection = (roles: readonly StaffRole[], isOwner: boolean): 'owner' | 'staff' | null =>
  roles.includes('owner') ? 'owner' : !isOwner && roles.some((role) => actingRoles.has(role)) ? 'staff' : null;

export async function findActiveRoles(tx: Db, accountId: string): Promise<StaffRole[]> {
  const { rows } = await sql<{ role: StaffRole }>`
    select r.role from staff_roles r where r.account_id = ${accountId} and ${isActiveRole}`.execute(tx);
  return rows.map(({ role }) => role);
}

/**
 * Returns why a member of staff cannot act on an account, or null. An account that becomes an owner when a request is
 * approved is protected like one: the role would go to a mailbox that staff have given it in the meantime.
 * @param actor null for the operator
 */
export async function findProtectionFrom(tx: Db, actor: string | null, id: string): Promise<'owner' | 'staff' | null> {
  const { rows: requests } = await sql`
    select from approvals
    where kind = 'owner-role' and state in ('waiting', 'approved')
      and payload ->> 'accountId' = ${id} limit 1`.execute(tx);
  if (requests.length > 0) return 'owner';
  return findProtection(
    await findActiveRoles(tx, id),
    actor === null || (await findActiveRoles(tx, actor)).includes('owner'),
  );
}

/**
 * Requires that a member of staff may act on an account: it is in their scope, not their own, and not protected. Call
 * it in the transaction of the action.
 * @throws ProblemError not-found, permission-denied
 */
export async function requireMayActOn(
  tx: Db,
  { accountId, scopes }: Pick<Staff, 'accountId' | 'scopes'>,
  id: string,
): Promise<void> {
  const { rows } = await sql`
    select from accounts a left join profiles p on p.account_id = a.id
    where a.id = ${id} and ${isProfileInScope(scopes, 'p')}`.execute(tx);
  if (!rows[0]) throw new ProblemError('not-found');
  if (id === accountId)
    throw new ProblemError('permission-denied', { detail: 'This is your own account. Use the settings.' });
  const protection = await findProtectionFrom(tx, accountId, id);
  if (protection !== null)
    throw new ProblemError('permission-denied', {
      detail:
        protection === 'owner'
          ? 'This person is an owner, or is about to become one. Only the operator can act on the account of an owner.'
          : 'This person is staff. Only an owner can act on the account of other staff.',
    });
}
