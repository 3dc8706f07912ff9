import { type Db, now } from '#server/db/client.ts';
import { closeClaim } from '#server/domain/membership/claims.ts';
import { ConfirmationRefused, confirmAccount, withdrawEvidence } from '#server/domain/membership/confirmations.ts';
import type { Context } from '#server/domain/context.ts';
import { recordImpostor } from '#server/domain/membership/impostors.ts';
import { queueOutcome } from '#server/domain/membership/membership-notices.ts';
import { findMembershipStatus, setMembershipStatus } from '#server/domain/membership/membership.ts';
import { findEntryByMatricKey } from '#server/domain/roster/claimed-entries.ts';
import { findHolder, findLinkedEntry, blockAutomaticConfirmation } from '#server/domain/roster/links.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';

/** The reason that both sides of a dispute read. It names neither the other account nor the entry. */
const disputeReason = 'The alumni office has checked whether you are this person, and could not confirm it.';

interface DecidedBy {
  readonly decidedBy: string | null;
}

const toDecider = (decidedBy: string | null) => (decidedBy === null ? 'operator' : 'staff');

/**
 * Confirms the account of a pending claim, because staff saw the person or a document.
 * @param tx a transaction
 * @param seen what staff saw, for example a passport
 * @returns null if the claim is no longer pending; `disputed` if another account holds the entry by equally strong
 *   evidence, or the account is confirmed as another entry
 */
export async function confirmClaim(
  context: Context,
  tx: Db,
  claimId: string,
  { entryId, seen, decidedBy }: { entryId: number | null; seen: string } & DecidedBy,
): Promise<'confirmed' | 'disputed' | null> {
  const accountId = await lockClaim(tx, claimId);
  if (accountId === null) return null;
  const outcome = await confirmAccount(tx, context, {
    accountId,
    entryId,
    kind: 'staff-review',
    detail: seen,
    decidedBy: toDecider(decidedBy),
  });
  await recordStaffAction(tx, {
    actor: decidedBy,
    action: 'claim-confirmed',
    subject: { kind: 'claim', id: claimId },
    details: { outcome, entry: entryId },
  });
  return outcome;
}

/**
 * Rejects a pending claim. A confirmed or disputed account keeps its status.
 * @param tx a transaction
 * @param reason text that the user reads
 * @param isImpostor whether the person posed as someone else: the members who vouched for them may not vouch for 180
 *   days
 * @returns whether the claim was pending
 */
export async function rejectClaim(
  tx: Db,
  claimId: string,
  { reason, isImpostor, decidedBy }: { reason: string; isImpostor: boolean } & DecidedBy,
): Promise<boolean> {
  const accountId = await lockClaim(tx, claimId);
  if (accountId === null) return false;
  await closeClaim(tx, accountId, 'rejected', toDecider(decidedBy), reason);
  if ((await findMembershipStatus(tx, accountId)) === 'unconfirmed')
    await setMembershipStatus(tx, accountId, 'rejected');
  if (isImpostor) {
    await recordImpostor(tx, accountId, decidedBy);
    await blockClaimedEntry(tx, claimId);
  }
  await queueOutcome(tx, accountId, 'rejected', { reason });
  await recordStaffAction(tx, {
    actor: decidedBy,
    action: 'claim-rejected',
    subject: { kind: 'claim', id: claimId },
    details: { isImpostor },
  });
  return true;
}

/** Blocks automatic confirmation of the claimed entry, because the impostor may create another account. */
async function blockClaimedEntry(tx: Db, claimId: string): Promise<void> {
  const { typed } = await tx.selectFrom('claims').select('typed').where('id', '=', claimId).executeTakeFirstOrThrow();
  const entryId = await findEntryByMatricKey(tx, toMatricKey(typed.matricNumber));
  if (entryId !== null) await blockAutomaticConfirmation(tx, entryId);
}

async function lockClaim(tx: Db, claimId: string): Promise<string | null> {
  const find = () =>
    tx
      .selectFrom('claims')
      .select('account_id')
      .where('id', '=', claimId)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
  const accountId = (await find())?.account_id;
  // Everything that decides claims locks the account first.
  if (accountId === undefined || !(await lockAccount(tx, accountId))) return null;
  return (await find()) ? accountId : null;
}

/**
 * Decides an open dispute. `keep`: the account that holds the entry stays or becomes confirmed. `transfer`: the other
 * account gets the entry; if the mailbox of the entry reported the holder, no account does. The account that loses the
 * entry gets a neutral reason.
 * @param tx a transaction. Roll it back after an error
 * @param isImpostor whether the account that loses posed as someone else: the members who vouched for it may not vouch
 *   for 180 days
 * @returns whether the dispute was open
 * @throws ConfirmationRefused if the account that would get the entry is confirmed as another one, or an impostor's
 */
export async function resolveDispute(
  context: Context,
  tx: Db,
  disputeId: string,
  { outcome, isImpostor, decidedBy }: { outcome: 'keep' | 'transfer'; isImpostor: boolean } & DecidedBy,
): Promise<boolean> {
  // The accounts before the dispute, as their deletion locks them, and the claimant before the holder, as
  // `confirmAccount` does.
  const parties = await tx
    .selectFrom('disputes')
    .select(['claimant_id', 'holder_id'])
    .where('id', '=', disputeId)
    .executeTakeFirst();
  for (const party of [parties?.claimant_id, parties?.holder_id]) if (party) await lockAccount(tx, party);
  const dispute = await tx
    .updateTable('disputes')
    .set({ closed_at: now, outcome })
    .where('id', '=', disputeId)
    .where('closed_at', 'is', null)
    .returning(['entry_id as entryId', 'holder_id as holderId', 'claimant_id as claimantId'])
    .executeTakeFirst();
  if (!dispute) return false;
  const { entryId, holderId, claimantId } = dispute;
  const [winner, loser] = outcome === 'keep' ? [holderId, claimantId] : [claimantId, holderId];
  if (loser !== null) {
    await takeEvidence(tx, loser, entryId);
    if (isImpostor) await recordImpostor(tx, loser, decidedBy);
    await closeClaim(tx, loser, 'rejected', toDecider(decidedBy), disputeReason);
    await queueOutcome(tx, loser, 'rejected', { reason: disputeReason });
  }
  // A holder who has given the entry back since does not get it again.
  if (winner !== null && (outcome === 'transfer' || (await findHolder(tx, entryId)) === winner)) {
    const result = await confirmAccount(tx, context, {
      accountId: winner,
      entryId,
      kind: 'staff-review',
      detail: 'Dispute resolved',
      decidedBy: toDecider(decidedBy),
    });
    if (result === 'disputed')
      throw new ConfirmationRefused('Nothing was changed: the other account is confirmed as another entry.');
  }
  await recordStaffAction(tx, {
    actor: decidedBy,
    action: outcome === 'keep' ? 'dispute-kept' : 'dispute-transferred',
    subject: { kind: 'dispute', id: disputeId },
    details: { isImpostor, entry: entryId },
  });
  return true;
}

/**
 * Withdraws the evidence of an account for an entry. Also all other evidence of the account that holds the entry, whose
 * profile has the values of the entry, or that is disputed.
 */
async function takeEvidence(tx: Db, accountId: string, entryId: number): Promise<void> {
  await lockAccount(tx, accountId);
  const evidence = await tx
    .selectFrom('evidence')
    .select('id')
    .where('account_id', '=', accountId)
    .where('entry_id', '=', entryId)
    .where('withdrawn_at', 'is', null)
    .execute();
  const losesAll =
    (await findLinkedEntry(tx, accountId)) === entryId || (await findMembershipStatus(tx, accountId)) === 'disputed';
  if (losesAll || evidence.length > 0)
    await withdrawEvidence(tx, accountId, losesAll ? 'all' : evidence.map(({ id }) => id));
}
