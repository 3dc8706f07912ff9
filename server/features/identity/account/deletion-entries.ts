import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import type { LockedAccount } from '#server/domain/accounts/sessions.ts';
import { type JournalEntry, appendEntries, createEntry } from '#server/domain/accounts/deletion-journal.ts';
import type { Log } from '#server/platform/log/log.ts';
import { journalDeletionJob } from '../jobs.ts';

/**
 * Queues an entry of the deletion journal in the transaction of the deletion, so that a crash after the commit does not
 * lose it. The entry leaves out an unverified address: otherwise an attacker could sign up with it and delete the
 * account, so that its owner is never imported.
 * @param deletesAt when the account will be deleted; null if it is deleted immediately
 * @returns the entry, for `writeJournalEntry`
 */
export async function queueJournalEntry(
  tx: Db,
  { config }: Context,
  { id, email, emailVerified }: LockedAccount,
  deletesAt: Date | null,
): Promise<JournalEntry> {
  const entry = await createEntry(config.dataDir, 'deleted', {
    accountId: id,
    email: emailVerified ? email : null,
    deletesAt,
  });
  await journalDeletionJob.queue(tx, entry);
  return entry;
}

/** Writes the entry after the commit and before the response. Logs a failure; the queued job then tries again. */
export async function writeJournalEntry(context: Context, entry: JournalEntry, log: Log): Promise<void> {
  await appendEntries(context, [entry]).catch((error: unknown) =>
    log.error(
      { err: error },
      'The deletion journal could not be written. A queued job will try again. Check that the object store works, or that DATA_DIR is writable and not full.',
    ),
  );
}
