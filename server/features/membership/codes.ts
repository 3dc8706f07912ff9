import type { ClaimResult } from '#contract/membership.ts';
import { type Db, now } from '#server/db/client.ts';
import { confirmAccount, findAssurance, lockHolder, openDispute } from '#server/domain/membership/confirmations.ts';
import type { Context } from '#server/domain/context.ts';
import { queueOutcome } from '#server/domain/membership/membership-notices.ts';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import { isOpenToCode } from '#server/domain/roster/claimed-entries.ts';
import { findLinkedEntry, markContested } from '#server/domain/roster/links.ts';
import { type Session, lockAccount, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import { hashToken } from '#server/platform/crypto/tokens.ts';
import { ProblemError } from '#server/platform/http/problem.ts';

const evidenceOf = { printed: 'printed-code', mailed: 'roster-email' } as const;

/**
 * Confirms an account by a printed or mailed code. All codes that do not work fail alike: wrong, expired, used, for an
 * entry that needs staff, or for another entry than that of the account.
 * @throws ProblemError membership/wrong-code, auth/unauthenticated if the session has ended
 */
export async function submitCode(context: Context, session: Session, typed: string): Promise<ClaimResult> {
  return context.db.transaction().execute(async (tx) => {
    const { id: accountId } = await lockAccountOfSession(tx, session);
    const code = await lockCode(tx, context, typed, accountId);
    const linked = await findLinkedEntry(tx, accountId);
    // Also runs without a code, so that all refusals take the same statements.
    const isOpen = await isOpenToCode(tx, code?.entryId ?? 0, code?.kind ?? 'printed');
    // The response to the first request was lost. A code no longer works after its evidence or the claim was withdrawn.
    if (code?.usedBy === accountId) {
      if (linked === code.entryId) return { status: 'confirmed' };
      if (session.user.membership?.isWaiting) return { status: 'waiting' };
    }
    const isOfOther = linked !== null && linked !== code?.entryId;
    if (code === null || code.usedAt !== null || !isOpen || isOfOther) throw new ProblemError('membership/wrong-code');
    const kind = evidenceOf[code.kind];
    if (!context.institution.acceptedEvidence.includes(kind)) throw new ProblemError('membership/wrong-code');
    await tx
      .updateTable('membership_codes')
      .set({ used_at: now, used_by: accountId })
      .where('code_hash', '=', code.codeHash)
      .execute();
    const outcome = await confirmAccount(tx, context, {
      accountId,
      entryId: code.entryId,
      kind,
      ...(code.batchId !== null && { detail: `Code of batch ${code.batchId}` }),
    });
    return { status: outcome === 'confirmed' ? outcome : 'waiting' };
  });
}

/**
 * Locks an unexpired code, so that of parallel requests one uses it. A mailed code works only for the account that
 * requested it: the mailbox may have a new owner, who has not given the birth date.
 */
async function lockCode(
  tx: Db,
  { membershipCodes }: Pick<Context, 'membershipCodes'>,
  typed: string,
  accountId: string,
) {
  const printed = (await membershipCodes.hash(typed)) ?? hashToken('');
  const mailed = (await membershipCodes.hash(typed, accountId)) ?? hashToken('');
  const code = await tx
    .selectFrom('membership_codes')
    .select([
      'code_hash as codeHash',
      'entry_id as entryId',
      'kind',
      'used_at as usedAt',
      'used_by as usedBy',
      'batch_id as batchId',
    ])
    .where((is) =>
      is.or([
        is.and([is('code_hash', '=', printed), is('kind', '=', 'printed')]),
        is.and([is('code_hash', '=', mailed), is('kind', '=', 'mailed')]),
      ]),
    )
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst();
  return code ? { ...code, kind: code.kind as keyof typeof evidenceOf } : null;
}

/**
 * Objects to the claim, or disputes the confirmation, that a notice was about, with the code from that mail. An account
 * with moderate evidence becomes disputed at once; staff decide in both cases. If no account holds the entry, staff
 * decide all claims of it from then on. A code that was used already changes nothing, so that a repeated request
 * succeeds.
 * @returns whether the code is valid
 */
export async function reportNotice({ db }: Pick<Context, 'db'>, typed: string, text: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const codes = tx
      .selectFrom('membership_codes')
      .select(['entry_id as entryId', 'used_at as usedAt', 'reports'])
      .where('code_hash', '=', hashToken(typed))
      .where('kind', '=', 'notice')
      .where('expires_at', '>', now);
    const found = await codes.executeTakeFirst();
    if (!found) return false;
    const { entryId, reports } = found;
    // Before the code, as a deletion of these accounts does, and the claimant before the holder, as `confirmAccount`
    // does.
    if (reports !== null) await lockAccount(tx, reports);
    const holderId = await lockHolder(tx, entryId);
    const code = await codes.forUpdate().executeTakeFirst();
    if (!code || code.usedAt !== null) return true;
    await tx.updateTable('membership_codes').set({ used_at: now }).where('code_hash', '=', hashToken(typed)).execute();
    if (reports !== null && reports !== holderId) await recordObjection(tx, reports, entryId, text);
    // The claim may be withdrawn, or its account deleted, in the meantime: the person could claim the entry again.
    if (holderId === null) await markContested(tx, entryId);
    // Another account may have been linked to the entry since then.
    if (holderId === null || code.reports !== holderId) return true;
    await openDispute(tx, { entryId, holderId, claimantId: null, text });
    if (
      (await findAssurance(tx, holderId, entryId)) === 'moderate' &&
      (await setMembershipStatus(tx, holderId, 'disputed'))
    )
      await queueOutcome(tx, holderId, 'disputed');
    return true;
  });
}

/**
 * Records that the person behind the address of an entry objects to an open claim. From then on, staff decide the
 * claims of the entry one by one. Counts for any content of the claim: the claimant could change it, and then claim the
 * entry again.
 */
async function recordObjection(tx: Db, claimantId: string, entryId: number, text: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('claims')
    .set({ objected_at: now, objection: text })
    .where('account_id', '=', claimantId)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await markContested(tx, entryId);
}
