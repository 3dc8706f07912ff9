import { type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from '../../../db/client.ts';
import type { Tables } from '../../../db/schema.ts';
import type { Context } from '../../../domain/context.ts';
import { deleteEmptyDepartmentDigests } from '../../../domain/department-digest.ts';
import { resumeListings } from '../../../domain/people.ts';
import { findPictures, removeUnusedPictures } from '../../../domain/pictures.ts';
import { type LockedAccount, type Session, lockAccount, lockAccountOfSession } from '../../../domain/sessions.ts';
import { deleteUnusedWords, findWords } from '../../../domain/vocabulary.ts';
import { recordAuditEvent } from '../../../domain/audit-events.ts';
import { isClockSteady } from '../../../platform/lifecycle/clock.ts';
import type { JournalEntry } from '../../../domain/deletion-journal.ts';
import { deleteJobsAbout } from '../../../platform/jobs/define-job.ts';
import type { Log } from '../../../platform/log/log.ts';
import { recoveryTtl } from '../action-codes/action-codes.ts';
import { queueJournalEntry, writeJournalEntry } from './deletion-entries.ts';
import { hidingTransaction } from './hide-account.ts';
import { accountDeletedJob, pendingDeletionMailJob, recoverEmailMailJob } from '../jobs.ts';
import { postponeDeletion } from './pending-deletions.ts';

/**
 * Deletes an account with everything that belongs to it: profile, listings, photos, notifications, sessions, codes,
 * pictures, and what the queue, the limits and the vocabulary of the search know of it. There is no way back.
 * `forgotten.test.ts` looks everywhere for what could be left.
 *
 * While an old address is held, a thief may control the account. It is hidden at once and deleted when the last
 * hold ends; until then the old mailbox can restore it (decision 36).
 * @returns when it will be deleted; null when it is deleted now
 */
export async function deleteAccount(context: Context, session: Session, log: Log): Promise<Date | null> {
  let pictures: string[] = [];
  const { deletesAt, entry } = await hidingTransaction(context, async (tx, hide) => {
    const account = await lockAccountOfSession(tx, session);
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

/** Deletes an account at once, for the operator. @returns whether there was such an account */
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
 * Deletes an account again after a restore brought it back. No second mail goes out. An account whose deletion is still pending
 * is hidden again, and its owner gets a new recovery link.
 * @param deletesAt when the deletion is due; null when it was immediate
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
        // The operator decides, and the deadline in the journal may have been postponed since.
        return deletesAt !== null && account?.isDisabled && account.isDeletionPending ? null : account;
      },
      { isTold: true },
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
 * Makes a deletion pending again after a restore, and queues the mails about it. A backup from before the last change of address has
 * no hold for the address that was replaced: it is the account's own address again, and gets the hold. If the backup has the last
 * hold, the current address may be a thief's, and gets none.
 */
async function postponeAgain(tx: Db, { id, email, emailVerified }: LockedAccount, deletesAt: Date): Promise<void> {
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
      // An expired hold stays in the table until the nightly clean-up.
      .onConflict((conflict) =>
        conflict
          .column('email')
          .doUpdateSet((eb) => ({
            account_id: eb.ref('excluded.account_id'),
            since: eb.ref('excluded.since'),
            until: eb.ref('excluded.until'),
          }))
          .where('held_addresses.until', '<=', sql<Date>`now()`),
      )
      .execute();
  await postponeDeletion(tx, id, deletesAt, toEmails(holds));
  for (const address of new Set([email, ...toEmails(holds)]))
    await pendingDeletionMailJob.queue(tx, { accountId: id, email: address });
}

/**
 * Cancels a pending deletion again that a restore brought back. The address and the password are as of the backup and may be a
 * thief's, so every held address gets a new recovery link.
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
 * Deletes the accounts whose last hold has ended since their owners asked for it. Needs a steady clock. An account that the
 * operator has disabled stays.
 */
export const deleteDueAccounts = (context: Context): Promise<Error[]> =>
  deleteAll(context, (db) =>
    db
      .selectFrom('accounts')
      .select('id')
      .where('deletes_at', '<=', sql<Date>`now()`)
      .where('disabled_at', 'is', null),
  );

/**
 * Deletes the accounts whose address was not verified in time. Needs a steady clock. The mailbox was never shown to be theirs, so
 * no mail goes out. An account that the operator has disabled stays.
 */
export const deleteUnverifiedAccounts = (context: Context): Promise<Error[]> =>
  deleteAll(context, (db) =>
    db
      .selectFrom('accounts')
      .select('id')
      .where('email_verified', '=', false)
      .where('verify_by', '<=', sql<Date>`now()`)
      .where('is_active', '=', true),
  );

/** @param due finds the ids of the accounts to delete; each is checked again after it is locked @returns an error for each that failed */
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

/** The facts for the mail about a pending deletion to one address. */
interface PendingDeletion {
  readonly deletesAt: Date;
  /** Until when this address can restore the account; null for the account's own address. */
  readonly heldUntil: Date | null;
}

/** @returns null when the deletion is not pending any more, or this address does not belong to the account */
export async function findPendingDeletion(db: Db, accountId: string, email: string): Promise<PendingDeletion | null> {
  const row = await db
    .selectFrom('accounts as a')
    .leftJoin('held_addresses as h', (join) => join.onRef('h.account_id', '=', 'a.id').on('h.email', '=', email))
    .select(['a.deletes_at', 'a.email', 'h.until'])
    .where('a.id', '=', accountId)
    .where('a.disabled_at', 'is', null)
    .executeTakeFirst();
  if (!row?.deletes_at || (row.until === null && row.email !== email)) return null;
  return { deletesAt: row.deletes_at, heldUntil: row.until };
}

/** @param hold locks the account; null when there is nothing to delete @returns whether an account was deleted */
async function deleteLocked(
  context: Context,
  hold: (tx: Db) => Promise<LockedAccount | null>,
  { isTold = false } = {},
): Promise<boolean> {
  const pictures = await context.db.transaction().execute(async (tx) => {
    const account = await hold(tx);
    return account && deleteRows(context, tx, account, isTold);
  });
  context.listCache.clear();
  await removeUnusedPictures(context, pictures ?? []);
  return pictures !== null;
}

/**
 * Deletes a locked account.
 * @param isTold whether the owner has already received the mail
 * @returns its pictures, whose files go after the transaction
 */
async function deleteRows({ limiter }: Context, tx: Db, account: LockedAccount, isTold = false): Promise<string[]> {
  const pictures = await findPictures(tx, account.id);
  const words = await findWords(tx, account.id);
  // An address that was requested but never verified may belong to another account by now.
  const addresses = [account.email, ...toEmails(await findHolds(tx, account.id))];
  // Reports by this account stay for the operator, without what it wrote.
  await tx.updateTable('reports').set({ text: '' }).where('reporter_id', '=', account.id).execute();
  // Reports about this account keep its address and name (decision 37).
  await sql`
    update reports set subject_email = a.email, subject_name = a.display_name
    from accounts a where a.id = ${account.id} and subject_id = a.id`.execute(tx);
  await tx.deleteFrom('accounts').where('id', '=', account.id).execute();
  await deleteUnusedWords(tx, words);
  await deleteEmptyDepartmentDigests(tx);
  await deleteJobsAbout(tx, [
    { accountId: account.id },
    { senderId: account.id },
    { recipientId: account.id },
    ...addresses.map((email) => ({ email })),
  ]);
  // What is counted by mailbox stays for its hour: a mailbox is not to be filled by accounts that come and go.
  await limiter.deleteSubject(tx, account.id);
  // Nobody has said yet that an unverified mailbox is theirs.
  if (account.emailVerified && !isTold) await accountDeletedJob.queue(tx, { email: account.email });
  return pictures;
}

/** Returns the old addresses that can still recover the account. The hold that ends last comes last. */
async function findHolds(tx: Db, accountId: string): Promise<{ email: string; until: Date }[]> {
  const holds = tx
    .selectFrom('held_addresses')
    .select(['email', 'until'])
    .where('account_id', '=', accountId)
    .orderBy('until');
  // A clock that has just jumped ahead must not end a hold: the deletion would be immediate.
  return ((await isClockSteady(tx)) ? holds.where('until', '>', sql<Date>`now()`) : holds).execute();
}
