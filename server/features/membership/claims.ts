import { sql } from 'kysely';
import type { Claim, ClaimResult } from '#contract/membership.ts';
import type { Db } from '#server/db/client.ts';
import type { TypedClaim } from '#server/db/schema.ts';
import { openClaim, recordAttempt } from '#server/domain/membership/claims.ts';
import { type Confirmation, confirmAccount, lockEntryAndHolder } from '#server/domain/membership/confirmations.ts';
import type { Context } from '#server/domain/context.ts';
import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import {
  type ClaimedEntry,
  findClaimedEntries,
  findClaimsByEmail,
  findClaimsByNumber,
} from '#server/domain/roster/claimed-entries.ts';
import { identitiesAgree } from '#server/domain/membership/identity-agreement.ts';
import { agreesCompletely } from '#server/domain/roster/agreement.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { type Session, lockAccount, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import type { Attempt } from '#server/platform/jobs/define-job.ts';
import { findAutomaticEvidence } from './automatic-evidence.ts';
import { askEntryMailJob, reviewClaimJob } from './jobs.ts';

/**
 * Stores a claim, and confirms the account if the claim contains evidence. Every pending claim takes the same
 * statements, so that neither the response nor its time reveals anything about the roster. `claims.test.ts` compares
 * the statements.
 * @throws ProblemError auth/unauthenticated if the session has ended
 */
export async function submitClaim(context: Context, session: Session, claim: Claim): Promise<ClaimResult> {
  return context.db.transaction().execute(async (tx) => {
    const account = await lockAccountOfSession(tx, session);
    const standing = await findStanding(tx, account.id);
    if (standing.status === 'confirmed') return { status: standing.status };
    const { typed } = await openClaim(tx, account.id, { ...claim, note: claim.note ?? '' });
    await recordAttempt(tx, account.id, 'claim', typed);
    const entries = await findClaimedEntries(tx, {
      // An empty key agrees with no entry: only the address is compared.
      matricKey: '',
      email: account.email,
      birthDate: typed.dob,
    });
    const isFirst = await countFirstClaim(context, tx, standing, [account.email]);
    const accepts = context.institution.acceptedEvidence;
    const evidence = findAutomaticEvidence({ claim: typed, email: account.email, isFirst, accepts }, entries);
    if (evidence?.isContested) return decideClaim(tx, context, account.id, null, evidence.entryId);
    return decideClaim(tx, context, account.id, evidence && { entryId: evidence.entryId, kind: evidence.kind });
  });
}

/** Confirms an account by evidence for its open claim. Without evidence, the claim waits for staff. */
export async function decideClaim(
  tx: Db,
  context: Context,
  accountId: string,
  evidence: Omit<Confirmation, 'accountId'> | null,
  contestedEntryId: number | null = null,
): Promise<ClaimResult> {
  // An undo of the last import may have deleted the entry in the meantime.
  if (evidence && (evidence.entryId === null || (await lockEntryAndHolder(tx, evidence.entryId)))) {
    const outcome = await confirmAccount(tx, context, { ...evidence, accountId });
    return { status: outcome === 'confirmed' ? outcome : 'waiting' };
  }
  await reviewClaimJob.queue(tx, { accountId, contestedEntryId });
  return { status: 'waiting' };
}

export async function findStanding(tx: Db, accountId: string) {
  return tx
    .selectFrom('accounts')
    .select((eb) => [
      'membership_status as status',
      eb.exists(eb.selectFrom('claims').select('id').whereRef('account_id', '=', 'accounts.id')).as('hasClaimed'),
    ])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
}

/**
 * Returns whether a claim is the first one of an account. False if too many first claims came from one of the mailboxes:
 * someone may be guessing birth dates with several accounts.
 */
export async function countFirstClaim(
  { limiter }: Pick<Context, 'limiter'>,
  tx: Db,
  { status, hasClaimed }: Awaited<ReturnType<typeof findStanding>>,
  mailboxes: readonly string[],
): Promise<boolean> {
  let isFirst = !hasClaimed && status === 'unconfirmed';
  for (const mailbox of isFirst ? new Set(mailboxes) : [])
    if ((await limiter.countAttempt(tx, 'firstClaimsByMailbox', mailbox)) > 0) isFirst = false;
  return isFirst;
}

/** Returns the entry with which a claim agrees completely, if no account holds it. */
export async function findAgreeingEntry(db: Db, typed: TypedClaim): Promise<ClaimedEntry | null> {
  const entry = await findNamedEntry(db, typed);
  return entry && agreesCompletely(typed, entry) ? entry : null;
}

/** Returns the entry with the number, names and class of a claim, if no account holds it. Ignores the birth date. */
async function findNamedEntry(db: Db, typed: TypedClaim): Promise<ClaimedEntry | null> {
  const wanted = { matricKey: toMatricKey(typed.matricNumber), email: '', birthDate: '0001-01-01' };
  const [entry] = await findClaimedEntries(db, wanted);
  return entry && entry.matricKey !== '' && entry.heldBy === null && identitiesAgree(typed, entry) ? entry : null;
}

/**
 * Stores for staff whether the open claim of an account agrees completely with an entry that no account holds, and asks
 * the address of the entry. Asks also if only the birth date differs: the owner of the mailbox could otherwise try birth
 * dates until the question arrives. Run by a job, so that neither the response to a claim nor its time depends on it.
 */
export async function compareClaim(context: Pick<Context, 'db'>, accountId: string): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return;
    const claim = await tx
      .selectFrom('claims')
      .select(['id', 'typed', 'agreeing_entry as agreeingEntry', 'entry_told_at as toldAt'])
      .where('account_id', '=', accountId)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    if (!claim) return;
    const entry = await findNamedEntry(tx, claim.typed);
    const entryId = entry && agreesCompletely(claim.typed, entry) ? entry.id : null;
    const isSame = entryId === claim.agreeingEntry;
    if (!isSame)
      await tx
        .updateTable('claims')
        .set({ agreeing_entry: entryId, entry_told_at: null })
        .where('id', '=', claim.id)
        .execute();
    const isAsked = isSame && claim.toldAt !== null;
    if (entry && entry.email !== null && !entry.needsStaff && !isAsked)
      await askEntryMailJob.queue(tx, { accountId, entryId: entry.id });
  });
}

/**
 * Reviews the claim of an account for evidence by its email address (decision 67). Confirms the account, or records the
 * dispute if the account that holds the entry has equally strong evidence. Decides with the current claim, address and
 * entry. Does nothing if the claim was withdrawn, decided or replaced, or only staff may confirm the entry.
 * @param contestedEntryId the entry that the first claim agreed with when it was sent. Null for a claim that agreed
 *   with none: it must be as first typed, so that no one gets another guess of the birth date with each import.
 */
export async function reviewClaim(
  context: Context,
  accountId: string,
  contestedEntryId: number | null = null,
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    // A claim is withdrawn or decided under this lock.
    const account = await lockAccount(tx, accountId);
    const claim = await findFirstClaim(tx, accountId);
    if (!account?.emailVerified || !claim || (claim.isChanged && contestedEntryId === null)) return;
    const { typed } = claim;
    const { email } = account;
    // Otherwise each import would be another guess for an account that was created for it.
    if (contestedEntryId === null && (await context.limiter.secondsUntilAllowed(tx, 'firstClaimsByMailbox', email)) > 0)
      return;
    // An empty key agrees with no entry: only the address is compared.
    const entries = await findClaimedEntries(tx, { matricKey: '', email, birthDate: typed.dob });
    const accepts = context.institution.acceptedEvidence.filter((kind) => kind === 'roster-email');
    const evidence = findAutomaticEvidence({ claim: typed, email, isFirst: true, accepts }, entries);
    if (!evidence || (contestedEntryId !== null && evidence.entryId !== contestedEntryId)) return;
    const { entryId, kind } = evidence;
    if (await lockEntryAndHolder(tx, entryId)) await confirmAccount(tx, context, { accountId, entryId, kind });
  });
  context.listCache.clear();
}

export async function reviewOpenClaims(context: Context, { signal }: Pick<Attempt, 'signal'>): Promise<void> {
  if (!(await requiresConfirmation(context.db))) return;
  for (const accountId of await findClaimsByEmail(context.db)) {
    signal.throwIfAborted();
    await reviewClaim(context, accountId);
  }
  for (const accountId of await findClaimsByNumber(context.db)) {
    signal.throwIfAborted();
    await compareClaim(context, accountId);
  }
}

async function findFirstClaim(tx: Db, accountId: string) {
  return tx
    .selectFrom('claims as c')
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .select(['c.typed', sql<boolean>`c.updated_at <> c.created_at`.as('isChanged')])
    .where('a.id', '=', accountId)
    .where('a.is_active', '=', true)
    .where('a.membership_status', '=', 'unconfirmed')
    .where('c.state', '=', 'waiting')
    .where(sql<boolean>`not exists (select from claims o where o.account_id = a.id and o.id <> c.id)`)
    .executeTakeFirst();
}
