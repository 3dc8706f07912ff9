import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { closeClaim, openClaim } from './claims.ts';
import { withdrawEvidence } from './confirmations.ts';
import { recordImpostor } from './impostors.ts';
import { queueOutcome } from './membership-notices.ts';
import { findMembershipStatus, requiresConfirmation, setMembershipStatus } from './membership.ts';
import { findLinkedEntries, blockAutomaticConfirmation } from '../roster/links.ts';
import { lockAccount } from '../accounts/sessions.ts';
import { recordStaffAction } from '../staff/audit-log.ts';

interface Withdrawal {
  readonly reason: string;
  /** Whether the person posed as someone else: the members who vouched for them may not vouch for 180 days. */
  readonly isImpostor: boolean;
  readonly decidedBy: string | null;
}

/**
 * Withdraws the confirmation of an account with all its evidence, and rejects the account: it loses its entry, and
 * moderate evidence no longer confirms it. After the commit, call `listCache.clear()`.
 * @param tx a transaction
 * @returns null, or why nothing was changed, as text for staff
 */
export async function withdrawConfirmation(
  tx: Db,
  accountId: string,
  { reason, isImpostor, decidedBy }: Withdrawal,
): Promise<string | null> {
  // Before the other accounts, as all decisions about a membership do.
  if (!(await lockAccount(tx, accountId))) return 'The account was deleted.';
  if (!(await requiresConfirmation(tx))) return 'This archive does not require that members are confirmed.';
  const status = await findMembershipStatus(tx, accountId);
  if (status !== 'confirmed') return 'This person is not confirmed.';
  // Otherwise staff who may not decide the dispute could free its entry.
  if (await hasOpenDispute(tx, accountId))
    return 'This person is in a dispute. Decide the dispute in the review queue instead.';
  const entryIds = await findLinkedEntries(tx, accountId);
  await withdrawEvidence(tx, accountId, 'all');
  await setMembershipStatus(tx, accountId, 'rejected');
  // People read the reason in their latest claim, and staff when the person claims again. A code confirms without a
  // claim.
  await openClaim(tx, accountId, null);
  await closeClaim(tx, accountId, 'rejected', decidedBy === null ? 'operator' : 'staff', reason);
  // The person may try the same evidence again, also with another account.
  for (const entryId of entryIds) await blockAutomaticConfirmation(tx, entryId);
  if (isImpostor) await recordImpostor(tx, accountId, decidedBy);
  await queueOutcome(tx, accountId, 'withdrawn', { reason });
  await recordStaffAction(tx, {
    actor: decidedBy,
    action: 'confirmation-withdrawn',
    subject: { kind: 'account', id: accountId },
    details: { isImpostor, entry: entryIds[0] ?? null },
  });
  return null;
}

async function hasOpenDispute(tx: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    select from disputes where closed_at is null and ${accountId}::uuid in (holder_id, claimant_id)`.execute(tx);
  return rows.length > 0;
}
