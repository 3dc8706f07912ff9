import { type SelectQueryBuilder, sql } from 'kysely';
import { type Db, now } from '#server/db/client.ts';
import type { Tables } from '#server/db/schema.ts';
import type { Context } from '#server/domain/context.ts';
import { deleteUnusedMerges } from '#server/domain/careers/employers.ts';
import { deleteEmptyDepartmentDigests } from '#server/domain/people/department-digest.ts';
import { resumeListings } from '#server/domain/people/people.ts';
import { markMemberLeft } from '#server/domain/roster/links.ts';
import { findPictures, removeUnusedPictures } from '#server/domain/people/pictures.ts';
import {
  type LockedAccount,
  type Session,
  lockAccount,
  lockAccountOfSession,
} from '#server/domain/accounts/sessions.ts';
import { isOnlyOwner } from '#server/domain/staff/roles.ts';
import { deleteUnusedWords, findWords } from '#server/domain/search/vocabulary.ts';
import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import { isClockSteady } from '#server/platform/lifecycle/clock.ts';
import type { JournalEntry } from '#server/domain/accounts/deletion-journal.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { deleteJobsAbout } from '#server/platform/jobs/define-job.ts';
import type { Log } from '#server/platform/log/log.ts';
import { recoveryTtl } from '../action-codes/action-codes.ts';
import { queueJournalEntry, writeJournalEntry } from './deletion-entries.ts';
import { hidingTransaction } from './hide-account.ts';
import { accountDeletedJob, pendingDeletionMailJob, recoverEmailMailJob } from '../jobs.ts';
import { postponeDeletion } from './pending-deletions.ts';

/**
 * Deletes an account with all its data: profile, listings, photos, notifications, sessions, codes, claims, evidence,
 * pictures, queued jobs, rate limit counts and search vocabulary. Its roster entry becomes free. This cannot be undone.
 * `forgotten.test.ts` searches the whole installation for remaining data. While a previous address is reserved, an
 * attacker may control the account. Then the account is hidden immediately, and deleted when the last reservation ends.
 * Until then the previous mailbox can restore the account (decision 36).
 * @returns when the account will be deleted; null if it was deleted immediately
 * @throws ProblemError staff/refused for the only owner
 */
export async function deleteAccount(context: Context, session: Session, log: Log): Promise<Date | null> {
  let pictures: string[] = [];
  const { deletesAt, entry } = await hidingTransaction(context, async (tx, hide) => {
    const account = await lockAccountOfSession(tx, session);
    if (await isOnlyOwner(tx, account.id))
      throw refused(
        'You are the only owner of the staff console. Make another account an owner first, or run "staff remove" on the server.',
      );
    const holds = await findHolds(tx, account.id);
    const last = holds.at(-1);
    const entry = await queueJournalEntry(tx, context, account, last?.until ?? null);
    if (!last) {
      pictures = await deleteRows(context, tx, account);
      return { deletesAt: null, entry };
    }
    await postponeDeletion(tx, account.id, last.until, toEmails(holds));
    await hide(account.id);
    for (const email of new Set([account.email, ...toEmails(holds)]))
      await pendingDeletionMailJob.queue(tx, { accountId: account.id, email });
    return { deletesAt: last.until, entry };
  });
  await writeJournalEntry(context, entry, log);
  await removeUnusedPictures(context, pictures);
  recordAuditEvent(log, deletesAt ? 'account deletion requested' : 'account deleted');
  return deletesAt;
}

export async function deleteAccountById(context: Context, accountId: string, log: Log): Promise<boolean> {
  let entry: JournalEntry | null = null;
  const wasThere = await deleteLocked(context, async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (account) entry = await queueJournalEntry(tx, context, account, null);
    return account;
  });
  if (entry) await writeJournalEntry(context, entry, log);
  if (wasThere) recordAuditEvent(log, 'account deleted by the operator');
  return wasThere;
}

/**
 * Deletes an account that a restore brought back. Sends no second mail. An account whose deletion is still pending is
 * hidden again, and its owner gets a new recovery link.
 * @param deletesAt when the deletion is due; null if it was immediate
 */
export async function deleteAccountAgain(
  context: Context,
  accountId: string,
  deletesAt: Date | null,
  log: Log,
): Promise<void> {
  if (deletesAt === null || deletesAt <= new Date())
    await deleteLocked(
      context,
      async (tx) => {
        const account = await lockAccount(tx, accountId);
        // A disabled account stays until the operator enables it. The deadline in the journal may have been postponed
        // since.
        return deletesAt !== null && account?.isDisabled && account.isDeletionPending ? null : account;
      },
      { isMailSent: true },
    );
  else
    await hidingTransaction(context, async (tx, hide) => {
      const account = await lockAccount(tx, accountId);
      if (!account || account.isDeletionPending) return;
      await postponeAgain(tx, account, deletesAt);
      await hide(accountId);
    });
  recordAuditEvent(log, 'account deleted again after a restore');
}

const toEmails = (holds: readonly { email: string }[]) => holds.map(({ email }) => email);

/**
 * Makes a deletion pending again after a restore, and queues the mails about it. In a backup from before the last email
 * change, the replaced address is the current one and is not reserved, so this function reserves it. If the backup
 * contains the last reservation, the current address may be an attacker's and is not reserved. Staff who delete an
 * account on request use it as well, so that the current address can cancel the deletion.
 * @param isByOffice whether the mail says that the alumni office deletes the account
 */
export async function postponeAgain(
  tx: Db,
  { id, email, emailVerified }: LockedAccount,
  deletesAt: Date,
  { isByOffice }: { isByOffice?: true } = {},
): Promise<void> {
  const holds = await findHolds(tx, id);
  if (emailVerified && !holds.some(({ until }) => until >= deletesAt))
    await tx
      .insertInto('held_addresses')
      .values({
        email,
        account_id: id,
        since: sql<Date>`${deletesAt}::timestamptz - ${recoveryTtl}::interval`,
        until: deletesAt,
      })
      // Expired reservations stay in the table until the nightly clean-up.
      .onConflict((conflict) =>
        conflict
          .column('email')
          .doUpdateSet((eb) => ({
            account_id: eb.ref('excluded.account_id'),
            since: eb.ref('excluded.since'),
            until: eb.ref('excluded.until'),
          }))
          .where('held_addresses.until', '<=', now),
      )
      .execute();
  await postponeDeletion(tx, id, deletesAt, toEmails(holds));
  for (const address of new Set([email, ...toEmails(holds)]))
    await pendingDeletionMailJob.queue(tx, { accountId: id, email: address, isByOffice });
}

/**
 * Cancels a pending deletion that a restore brought back. Address and password come from the backup and may be an
 * attacker's, so every reserved previous address gets a new recovery link.
 * @returns whether the deletion was pending
 */
export async function cancelDeletionAgain(context: Context, accountId: string, log: Log): Promise<boolean> {
  const wasPending = await context.db.transaction().execute(async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (!account?.isDeletionPending) return false;
    await tx.updateTable('accounts').set({ deletes_at: null }).where('id', '=', accountId).execute();
    await resumeListings(tx, accountId);
    for (const { email } of await findHolds(tx, accountId)) await recoverEmailMailJob.queue(tx, { accountId, email });
    return true;
  });
  if (wasPending) recordAuditEvent(log, 'account deletion cancelled again after a restore');
  return wasPending;
}

/**
 * Deletes the accounts whose pending deletion is due, except disabled ones. Call it only while the clock is steady.
 * @returns an error for each account that could not be deleted
 */
export const deleteDueAccounts = (context: Context): Promise<Error[]> =>
  deleteAll(context, (db) =>
    db.selectFrom('accounts').select('id').where('deletes_at', '<=', now).where('disabled_at', 'is', null),
  );

/**
 * Deletes the accounts whose address was not verified in time, except disabled ones. Sends no mail, because the mailbox
 * may belong to another person. Call it only while the clock is steady.
 * @returns an error for each account that could not be deleted
 */
export const deleteUnverifiedAccounts = (context: Context): Promise<Error[]> =>
  deleteAll(context, (db) =>
    db
      .selectFrom('accounts')
      .select('id')
      .where('email_verified', '=', false)
      .where('verify_by', '<=', now)
      .where('is_active', '=', true),
  );

async function deleteAll(
  context: Context,
  due: (db: Db) => SelectQueryBuilder<Tables, 'accounts', { id: string }>,
): Promise<Error[]> {
  const errors: Error[] = [];
  for (const { id } of await due(context.db).execute())
    await deleteLocked(context, async (tx) => {
      const account = await lockAccount(tx, id);
      return (await due(tx).where('id', '=', id).executeTakeFirst()) ? account : null;
    }).catch((error: unknown) => errors.push(error as Error));
  return errors;
}

interface PendingDeletion {
  readonly deletesAt: Date;
  /** Time until which this address can restore the account; null for the account's current address. */
  readonly heldUntil: Date | null;
}

/**
 * Returns the content of a mail about a pending deletion; null if the deletion is no longer pending or the address does
 * not belong to the account.
 */
export async function findPendingDeletion(db: Db, accountId: string, email: string): Promise<PendingDeletion | null> {
  const row = await db
    .selectFrom('accounts as a')
    .leftJoin('held_addresses as h', (join) => join.onRef('h.account_id', '=', 'a.id').on('h.email', '=', email))
    .select(['a.deletes_at as deletesAt', 'a.email', 'h.until as heldUntil'])
    .where('a.id', '=', accountId)
    .where('a.disabled_at', 'is', null)
    .executeTakeFirst();
  if (!row?.deletesAt || (row.heldUntil === null && row.email !== email)) return null;
  return { deletesAt: row.deletesAt, heldUntil: row.heldUntil };
}

async function deleteLocked(
  context: Context,
  lock: (tx: Db) => Promise<LockedAccount | null>,
  { isMailSent = false } = {},
): Promise<boolean> {
  const pictures = await context.db.transaction().execute(async (tx) => {
    const account = await lock(tx);
    return account && deleteRows(context, tx, account, isMailSent);
  });
  context.listCache.clear();
  await removeUnusedPictures(context, pictures ?? []);
  return pictures !== null;
}

/**
 * Deletes the rows of a locked account.
 * @param isMailSent whether the owner has already received the mail
 * @returns the names of its pictures, to remove after the transaction
 */
export async function deleteRows(
  { limiter }: Context,
  tx: Db,
  account: LockedAccount,
  isMailSent = false,
): Promise<string[]> {
  const pictures = await findPictures(tx, account.id);
  const words = await findWords(tx, account.id);
  const profile = await tx
    .selectFrom('profiles')
    .select('positions')
    .where('account_id', '=', account.id)
    .executeTakeFirst();
  // The pending address is left out: it was never verified and may belong to another account by now.
  const addresses = [account.email, ...toEmails(await findHolds(tx, account.id))];
  // Reports by this account stay for the operator, without their text.
  await tx.updateTable('reports').set({ text: '' }).where('reporter_id', '=', account.id).execute();
  // Reports about this account keep its address and name (decision 37).
  await sql`
    update reports set subject_email = a.email, subject_name = a.display_name
    from accounts a where a.id = ${account.id} and subject_id = a.id`.execute(tx);
  await markMemberLeft(tx, account.id);
  await tx.deleteFrom('accounts').where('id', '=', account.id).execute();
  await deleteUnusedWords(tx, words);
  if (profile) await deleteUnusedMerges(tx, profile.positions);
  await deleteEmptyDepartmentDigests(tx);
  await deleteJobsAbout(tx, [
    { accountId: account.id },
    { senderId: account.id },
    { recipientId: account.id },
    ...addresses.map((email) => ({ email })),
  ]);
  // Counts per mailbox stay until they expire, so that creating and deleting accounts cannot flood a mailbox.
  await limiter.deleteSubject(tx, account.id);
  // An unverified mailbox may belong to another person.
  if (account.emailVerified && !isMailSent) await accountDeletedJob.queue(tx, { email: account.email });
  return pictures;
}

async function findHolds(tx: Db, accountId: string): Promise<{ email: string; until: Date }[]> {
  const holds = tx
    .selectFrom('held_addresses')
    .select(['email', 'until'])
    .where('account_id', '=', accountId)
    .orderBy('until');
  // A clock that just jumped forward must not end a reservation, because the deletion would be immediate.
  return ((await isClockSteady(tx)) ? holds.where('until', '>', now) : holds).execute();
}
