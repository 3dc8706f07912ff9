import { sql } from 'kysely';
import { type Assurance, type EvidenceKind, assuranceOf } from '#contract/membership.ts';
import { type Db, now } from '#server/db/client.ts';
import type { EntryChange, Identity } from '#server/db/schema.ts';
import { adoptEntry } from './adopt-entry.ts';
import { type ClaimDecider, closeClaim, openClaim } from './claims.ts';
import { recordIdentity, toIdentity } from './confirmed-identity.ts';
import type { Context } from '../context.ts';
import { identitiesAgree } from './identity-agreement.ts';
import { entryNoticeMailJob, queueOutcome } from './membership-notices.ts';
import { findMembershipStatus, setMembershipStatus } from './membership.ts';
import { findPerson } from '../people/people.ts';
import { type EntryFacts, findEntryFacts } from '../roster/entry-facts.ts';
import { findItemScope } from '../roster/item-scope.ts';
import { findHolder, findLinkedEntry, linkEntry, lockEntry, markContested, unlinkAccount } from '../roster/links.ts';
import { lockAccount } from '../accounts/sessions.ts';
import { endVouches } from './vouch-rules.ts';

export interface Confirmation {
  readonly accountId: string;
  readonly entryId: number | null;
  readonly kind: EvidenceKind;
  /** How, for example which document was seen. Never a value of the entry. */
  readonly detail?: string;
  /** Peer vouches: what each voucher saw. */
  readonly seen?: readonly Identity[];
  readonly decidedBy?: ClaimDecider;
  /** Campus sign-on: the digest of the university account, which can confirm no other account. */
  readonly identityHash?: Buffer;
}

/**
 * Confirms an account, and records the evidence. Strong evidence takes an entry from an account that holds it by
 * moderate evidence; that account becomes disputed. Against equal or stronger evidence, a dispute is recorded for
 * staff, and the claim waits.
 * After a dispute or a rejection, moderate evidence no longer confirms: the claim waits too. So it does if the profile
 * does not agree with the entry, or the account belongs to an impostor, unless staff decide. On a confirmation, the
 * entry sets the registrar's facts of the profile.
 *
 * Locks the account, then the account that holds the entry, then the entry, as everything that changes an entry with
 * its account does.
 * @param tx a transaction
 * @returns `disputed` if the account was not confirmed
 * @throws ConfirmationRefused if staff confirm an impostor
 * @throws Error if the account or the entry does not exist
 */
export async function confirmAccount(
  tx: Db,
  { metrics, institution }: Pick<Context, 'metrics' | 'institution'>,
  { accountId, entryId, kind, detail = '', seen = [], decidedBy = 'automatic', identityHash }: Confirmation,
): Promise<'confirmed' | 'disputed'> {
  if (!(await lockAccount(tx, accountId))) throw new Error('The account does not exist.');
  const assurance = assuranceOf[kind];
  if (entryId !== null && !(await lockEntryAndHolder(tx, entryId))) throw new Error('The roster entry does not exist.');
  const { id: evidenceId } = await tx
    .insertInto('evidence')
    .values({ account_id: accountId, entry_id: entryId, kind, assurance, detail, identity_hash: identityHash ?? null })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (kind === 'staff-review' && (await isImpostor(tx, accountId)))
    throw new ConfirmationRefused(
      'Nothing was changed: the account is recorded as an impostor’s. If that is wrong, clear the record on the page of the person first.',
    );
  const entry = entryId === null ? null : await findEntryFacts(tx, entryId);
  const needsStaff = kind !== 'staff-review' && !(await canConfirmAutomatically(tx, accountId, entry, assurance));
  const link = needsStaff ? 'refused' : entryId === null ? 'none' : await takeEntry(tx, accountId, entryId, assurance);
  const outcome = link === 'refused' ? 'disputed' : 'confirmed';
  metrics
    .counter('archive_confirmations_total', 'Evidence that was accepted, by kind and outcome.', ['kind', 'outcome'])
    .inc({ kind, outcome });
  if (outcome === 'disputed') {
    await openClaim(tx, accountId, null);
    return outcome;
  }
  await closeClaim(tx, accountId, 'confirmed', decidedBy);
  // A further degree changes neither the profile nor what the confirmation is about.
  const isFurther = link === 'further';
  const changed = isFurther ? [] : await adoptEntry(tx, institution, accountId, entry);
  if (!isFurther) await recordIdentity(tx, accountId, { evidenceId, entryId, seen });
  if ((await setMembershipStatus(tx, accountId, 'confirmed')) || changed.length > 0)
    await queueOutcome(tx, accountId, 'confirmed', { changed });
  if (entryId !== null && link === 'new') await entryNoticeMailJob.queue(tx, { accountId, entryId });
  return outcome;
}

export class ConfirmationRefused extends Error {
  override readonly name: string = 'ConfirmationRefused';
}

async function isImpostor(tx: Db, accountId: string): Promise<boolean> {
  const { since } = await tx
    .selectFrom('accounts')
    .select('impostor_since as since')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return since !== null;
}

/**
 * Returns whether evidence confirms an account without staff: not for an impostor, not without agreement between
 * profile and entry, and not by moderate evidence if the account is doubted.
 */
async function canConfirmAutomatically(
  tx: Db,
  accountId: string,
  entry: EntryFacts | null,
  assurance: Assurance,
): Promise<boolean> {
  if (await isImpostor(tx, accountId)) return false;
  const person = await findPerson(tx, accountId);
  if (entry !== null && !(person && identitiesAgree(toIdentity(person), entry))) return false;
  return assurance === 'strong' || !(await isDoubted(tx, accountId));
}

/**
 * Returns whether an account is disputed or rejected, is in an open dispute, or has lost one. The disputes count
 * because the owner can withdraw the evidence, which ends the status `disputed`.
 */
async function isDoubted(tx: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    select from accounts where id = ${accountId} and membership_status in ('disputed', 'rejected')
    union all
    select from disputes where holder_id = ${accountId} and (closed_at is null or outcome = 'transfer')
    union all
    select from disputes where claimant_id = ${accountId} and (closed_at is null or outcome = 'keep')
    limit 1`.execute(tx);
  return rows.length > 0;
}

/**
 * Links the account to the entry.
 * @returns `refused` if the evidence of another account is as strong, or the account has another entry. `further` if
 * the account is confirmed as another entry, and has this one as a further degree
 */
async function takeEntry(
  tx: Db,
  accountId: string,
  entryId: number,
  assurance: Assurance,
): Promise<'new' | 'old' | 'further' | 'refused'> {
  const linked = await findLinkedEntry(tx, accountId);
  if (linked === entryId) return 'old';
  // Locked by `confirmAccount`.
  const holder = await findHolder(tx, entryId);
  if (holder === accountId) return 'further';
  // An account that is confirmed as another entry keeps it until staff decide.
  if (linked !== null) return 'refused';
  if (holder === null) return (await linkEntry(tx, entryId, accountId)) ? 'new' : 'refused';
  const isTaken = assurance === 'strong' && (await findAssurance(tx, holder, entryId)) === 'moderate';
  if (isTaken) {
    await unlinkAccount(tx, holder);
    await linkEntry(tx, entryId, accountId);
    if (await setMembershipStatus(tx, holder, 'disputed')) await queueOutcome(tx, holder, 'disputed');
  }
  const [holderId, claimantId] = isTaken ? [accountId, holder] : [holder, accountId];
  await openDispute(tx, { entryId, holderId, claimantId });
  return isTaken ? 'new' : 'refused';
}

/**
 * Locks an entry for the rest of the transaction, and before it the account that holds it: a deletion and other
 * decisions lock that account first, too. The account that is to be confirmed must be locked already.
 * @returns false if the entry does not exist
 */
export async function lockEntryAndHolder(tx: Db, entryId: number): Promise<boolean> {
  const holder = await lockHolder(tx, entryId);
  if (!(await lockEntry(tx, entryId))) return false;
  // Another account may have been linked to the entry before it was locked.
  if ((await findHolder(tx, entryId)) !== holder) await lockHolder(tx, entryId);
  return true;
}

/**
 * Locks the account that holds an entry, for the rest of the transaction.
 * @returns its id; null if no account holds the entry, or the account has given it back while this waited for the lock
 */
export async function lockHolder(tx: Db, entryId: number): Promise<string | null> {
  const holder = await findHolder(tx, entryId);
  if (holder === null) return null;
  await lockAccount(tx, holder);
  return findHolder(tx, entryId);
}

/**
 * Records that two accounts claim one entry, or without another account (`claimantId` null), that the mailbox of the
 * entry reported its holder or that a change made the entry another person. Once per pair and reason: an undo of the
 * change must not close a report.
 * @returns the id of the dispute; null if one is open
 */
export async function openDispute(
  tx: Db,
  {
    entryId,
    holderId,
    claimantId,
    text = '',
    change = null,
  }: DisputeParties & { readonly text?: string; readonly change?: EntryChange | null },
): Promise<string | null> {
  const scope = await findItemScope(tx, holderId, entryId);
  const { rows } = await sql<{ id: string }>`
    insert into disputes (entry_id, holder_id, claimant_id, text, entry_change, college, department, year_graduated)
    select ${entryId}::bigint, ${holderId}::uuid, ${claimantId}::uuid, ${text}, ${change}, ${scope.college}, ${scope.department},
      ${scope.year_graduated}::smallint
    where not exists (
      select from disputes where entry_id = ${entryId}::bigint and holder_id = ${holderId}::uuid
        and claimant_id is not distinct from ${claimantId}::uuid and entry_change is not distinct from ${change} and closed_at is null)
    returning id`.execute(tx);
  await markContested(tx, entryId);
  return rows[0]?.id ?? null;
}

interface DisputeParties {
  readonly entryId: number;
  readonly holderId: string;
  readonly claimantId: string | null;
}

/**
 * Returns the assurance of the strongest current evidence that links an account to an entry: `moderate` if there is
 * none.
 */
export async function findAssurance(db: Db, accountId: string, entryId: number): Promise<Assurance> {
  const row = await db
    .selectFrom('evidence')
    .select('id')
    .where('account_id', '=', accountId)
    .where('entry_id', '=', entryId)
    .where('assurance', '=', 'strong')
    .where('withdrawn_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row ? 'strong' : 'moderate';
}

/**
 * Withdraws evidence of an account. Without evidence that refers to its entry, the account loses the entry, and without
 * any evidence, its confirmation. Call it in a transaction.
 * @returns whether the account is still confirmed
 */
export async function withdrawEvidence(
  tx: Db,
  accountId: string,
  evidenceIds: readonly string[] | 'all',
): Promise<boolean> {
  if (!(await lockAccount(tx, accountId))) return false;
  let query = tx
    .updateTable('evidence')
    .set({ withdrawn_at: now })
    .where('account_id', '=', accountId)
    .where('withdrawn_at', 'is', null);
  if (evidenceIds !== 'all') query = query.where('id', 'in', [...evidenceIds]);
  await query.execute();
  await endVouches(tx, accountId);
  const left = await tx
    .selectFrom('evidence')
    .select('entry_id')
    .where('account_id', '=', accountId)
    .where('withdrawn_at', 'is', null)
    .execute();
  const linked = await findLinkedEntry(tx, accountId);
  // Without the entry that it is confirmed as, an account keeps no further one.
  const kept = left.some(({ entry_id }) => entry_id === linked) ? left.flatMap(({ entry_id }) => entry_id ?? []) : [];
  if (linked !== null) await unlinkAccount(tx, accountId, kept);
  const status = await findMembershipStatus(tx, accountId);
  const isSupported = left.some(({ entry_id }) => entry_id === null || entry_id === linked);
  if (!isSupported && (status === 'confirmed' || status === 'disputed'))
    await setMembershipStatus(tx, accountId, 'unconfirmed');
  return isSupported && status === 'confirmed';
}
