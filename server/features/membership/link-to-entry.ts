import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { openClaim } from '#server/domain/membership/claims.ts';
import { lockEntryAndHolder } from '#server/domain/membership/confirmations.ts';
import { entryNoticeMailJob } from '#server/domain/membership/membership-notices.ts';
import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import { isEntryInScope } from '#server/domain/roster/entry-scope.ts';
import { canBeOnePerson, findHolder, findLinkedEntry, linkEntry } from '#server/domain/roster/links.ts';
import type { Staff } from '#server/domain/staff/guard.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { orRefusal } from './reviewables.ts';
import { confirmClaim } from './staff-decisions.ts';

interface Link {
  readonly entryId: number;
  readonly accountId: string;
  readonly seen: string;
}

/**
 * Confirms an account as a free entry, because staff saw the person or a document. If the account is confirmed as an
 * entry already, this one must be of the same person, and becomes a further degree. Decides the pending claim of the
 * account, or one that it opens, so that the history has who decided and what they saw. After the commit, call
 * `listCache.clear()`.
 * @param tx a transaction in which the account is locked
 * @returns null, or why nothing was changed, as text for staff. Then roll the transaction back
 * @throws ProblemError not-found if the entry is not in the scopes
 */
export async function linkToEntry(
  context: Context,
  tx: Db,
  { accountId: staffId, scopes }: Pick<Staff, 'accountId' | 'scopes'>,
  { entryId, accountId, seen }: Link,
): Promise<string | null> {
  if (!(await requiresConfirmation(tx))) return 'This archive does not require that members are confirmed.';
  const isFound = await isEntryInScope(tx, context.institution, scopes, entryId);
  if (!isFound || !(await lockEntryAndHolder(tx, entryId))) throw new ProblemError('not-found');
  if ((await findHolder(tx, entryId)) !== null)
    return 'An account is confirmed as this entry already. If it is another person, withdraw that confirmation, or decide the dispute.';
  const first = await findLinkedEntry(tx, accountId);
  if (first !== null && !(await canBeOnePerson(tx, [first, entryId])))
    return 'This account is confirmed as another entry, and the names or birth dates of both entries differ.';
  const { rows } = await sql<{ isReady: boolean; hasVouch: boolean; isInDispute: boolean }>`
    select a.is_active and a.email_verified and exists (select from profiles where account_id = a.id) as "isReady",
      exists (select from vouches where claimant_id = a.id and voucher_id = ${staffId}) as "hasVouch",
      exists (select from disputes where closed_at is null and a.id in (holder_id, claimant_id)) as "isInDispute"
    from accounts a where a.id = ${accountId}`.execute(tx);
  const { isReady = false, hasVouch = false, isInDispute = false } = rows[0] ?? {};
  if (!isReady) return 'This account has no profile, no verified address, or is suspended.';
  if (hasVouch) return 'You have vouched for this person, so another member of staff must confirm them.';
  if (isInDispute) return 'This person is in a dispute. Decide the dispute in the review queue instead.';
  if (first !== null) {
    await linkEntry(tx, entryId, accountId, true);
    await entryNoticeMailJob.queue(tx, { accountId, entryId });
  }
  const { id } = await openClaim(tx, accountId, null);
  return orRefusal(async () => {
    const outcome = await confirmClaim(context, tx, id, { entryId, seen, decidedBy: staffId });
    return outcome === 'confirmed' ? null : 'Nothing was changed: the account could not be confirmed as this entry.';
  });
}
