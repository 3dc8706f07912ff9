import { sql } from 'kysely';
import type { Claim, ClaimResult } from '#contract/membership.ts';
import type { Db } from '../../db/client.ts';
import { openClaim } from '../../domain/claims.ts';
import { confirmAccount } from '../../domain/confirmations.ts';
import type { Context } from '../../domain/context.ts';
import { findClaimedEntries } from '../../domain/roster/claimed-entries.ts';
import { toMatricKey } from '../../domain/roster/matric-key.ts';
import { type Session, lockAccount, lockAccountOfSession } from '../../domain/sessions.ts';
import { findAutomaticEvidence } from './automatic-evidence.ts';
import { reviewClaimJob } from './jobs.ts';

/**
 * Stores a claim, and confirms the account if the claim contains evidence. Every claim that waits takes the same statements, so that neither
 * the response nor its time reveals anything about the roster. `claims.test.ts` compares the statements.
 * @throws ProblemError auth/unauthenticated if the session has ended
 */
export async function submitClaim(context: Context, session: Session, claim: Claim): Promise<ClaimResult> {
  return context.db.transaction().execute(async (tx) => {
    const account = await lockAccountOfSession(tx, session);
    const { status, hasClaimed, isNumberShown } = await findStanding(tx, account.id, claim.matricNumber);
    if (status === 'confirmed') return { status };
    const { typed } = await openClaim(tx, account.id, { ...claim, note: claim.note ?? '' });
    const entries = await findClaimedEntries(tx, {
      matricKey: toMatricKey(typed.matricNumber),
      email: account.email,
      birthDate: typed.dob,
    });
    const isFirst = !hasClaimed && status === 'unconfirmed';
    const { acceptedEvidence } = context.institution;
    const accepts =
      (await isGuessed(tx, context, typed.matricNumber, isFirst)) || isNumberShown
        ? acceptedEvidence.filter((kind) => kind !== 'knowledge-match')
        : acceptedEvidence;
    const evidence = findAutomaticEvidence({ claim: typed, email: account.email, isFirst, accepts }, entries);
    if (evidence && !evidence.isContested) {
      const { kind, entryId } = evidence;
      const outcome = await confirmAccount(tx, context, { accountId: account.id, entryId, kind });
      return { status: outcome === 'confirmed' ? outcome : 'waiting' };
    }
    await reviewClaimJob.queue(tx, { accountId: account.id, contestedEntryId: evidence?.entryId ?? null });
    return { status: 'waiting' };
  });
}

/**
 * Counts a first claim.
 * @returns whether too many accounts have claimed this matric number recently: someone may be guessing birth dates
 */
async function isGuessed(
  tx: Db,
  { limiter }: Pick<Context, 'limiter'>,
  matricNumber: string,
  isFirst: boolean,
): Promise<boolean> {
  return isFirst && (await limiter.countAttempt(tx, 'firstClaimsByMatricNumber', toMatricKey(matricNumber))) > 0;
}

/**
 * Returns the status of an account, whether it ever had a claim, and whether the profile of another account has the matric number. Members may
 * have read such a number there, with the day and the month of the birth date, so that they would only have to guess the year.
 */
async function findStanding(tx: Db, accountId: string, matricNumber: string) {
  return tx
    .selectFrom('accounts')
    .select((eb) => [
      'membership_status as status',
      eb.exists(eb.selectFrom('claims').select('id').whereRef('account_id', '=', 'accounts.id')).as('hasClaimed'),
      sql<boolean>`exists (
        select from profiles where matric_key(matric_number) = matric_key(${matricNumber}) and account_id <> accounts.id
      )`.as('isNumberShown'),
    ])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
}

/**
 * Records the dispute between a claim and the account that holds its entry. If that account has lost the entry since, the claim is confirmed.
 * Does nothing if the claim was withdrawn or decided.
 */
export async function reviewContestedClaim(context: Context, accountId: string, entryId: number): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    // A claim is withdrawn or decided under this lock.
    await lockAccount(tx, accountId);
    const open = await tx
      .selectFrom('claims')
      .select('id')
      .where('account_id', '=', accountId)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    if (open) await confirmAccount(tx, context, { accountId, entryId, kind: 'roster-email' });
  });
}
