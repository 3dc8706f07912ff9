import { findMembershipStatus } from '#server/domain/membership/membership.ts';
import type { Db } from '#server/db/client.ts';
import { openClaim } from '#server/domain/membership/claims.ts';
import { openDispute } from '#server/domain/membership/confirmations.ts';
import { findHolder } from '#server/domain/roster/links.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import type { Reopening } from '#server/domain/staff/review.ts';

/**
 * Opens a claim with what was typed in a closed one, and with the names and class of today, so that staff do not decide
 * about another person.
 */
export async function reopenClaim(tx: Db, claimId: string): Promise<Reopening> {
  const { accountId, typed } = await tx
    .selectFrom('claims')
    .select(['account_id as accountId', 'typed'])
    .where('id', '=', claimId)
    .executeTakeFirstOrThrow();
  const status = await findMembershipStatus(tx, accountId);
  if (status === 'confirmed') return { refusal: 'This person is confirmed. Withdraw the confirmation instead.' };
  const waiting = await tx
    .selectFrom('claims')
    .select('id')
    .where('account_id', '=', accountId)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  if (waiting) return { refusal: 'A claim of this person waits in the queue already.' };
  const { matricNumber, dob, note } = typed;
  return openClaim(tx, accountId, { matricNumber, dob, note });
}

/**
 * Opens a dispute between the accounts of a closed one. The account that has the entry now is the holder, and keeps it
 * until the decision.
 */
export async function reopenDispute(tx: Db, disputeId: string): Promise<Reopening> {
  const { entryId, before, claimant, text, change } = await tx
    .selectFrom('disputes')
    .select(['entry_id as entryId', 'holder_id as before', 'claimant_id as claimant', 'text', 'entry_change as change'])
    .where('id', '=', disputeId)
    .executeTakeFirstOrThrow();
  for (const party of [claimant, before]) if (party !== null) await lockAccount(tx, party);
  const holderId = await findHolder(tx, entryId);
  if (holderId === null || (holderId !== before && holderId !== claimant))
    return { refusal: 'Neither account has the entry now. Decide the claim of the person instead.' };
  const parties = { entryId, holderId, claimantId: holderId === before ? claimant : before };
  const id = await openDispute(tx, { ...parties, text, change });
  return id === null ? { refusal: 'A dispute between these accounts waits in the queue already.' } : { id };
}
