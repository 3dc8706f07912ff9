import { sql } from 'kysely';
import type { Db } from '../../db/client.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { type Staff, isInScope, profileScopeColumns } from './guard.ts';

/**
 * Requires that a member of staff may act on an account: it is in their scope, not their own, and not an owner's. Call it in the transaction of
 * the act.
 * @throws ProblemError not-found, permission-denied
 */
export async function requireTouchable(tx: Db, { accountId, scopes }: Staff, id: string): Promise<void> {
  const { rows } = await sql<{ isOwner: boolean }>`
    select exists (select from staff_roles r where r.account_id = a.id and r.role = 'owner'
      and (r.ends_at is null or r.ends_at > now())) as "isOwner"
    from accounts a left join profiles p on p.account_id = a.id
    where a.id = ${id} and ${isInScope(scopes, profileScopeColumns('p'))}`.execute(tx);
  if (!rows[0]) throw new ProblemError('not-found');
  if (id === accountId)
    throw new ProblemError('permission-denied', { detail: 'This is your own account. Use the settings.' });
  if (rows[0].isOwner)
    throw new ProblemError('permission-denied', {
      detail: 'This person is an owner. Only the operator can act on the account of an owner.',
    });
}
