import type { Db } from '../../../db/client.ts';
import type { Context } from '../../../domain/context.ts';
import type { LockedAccount } from '../../../domain/sessions.ts';
import { type JournalEntry, appendEntries, createEntry } from '../../../domain/deletion-journal.ts';
import type { Log } from '../../../platform/log/log.ts';
import { journalDeletionJob } from '../jobs.ts';

/**
 * Queues the line of the deletion journal in the transaction of the deletion, so that a crash after the commit does not lose it.
 * An address that was not verified is not in it: an attacker who signs up with it and deletes the account could otherwise keep its
 * owner from being imported.
 * @param deletesAt when the account will be deleted; null when it is deleted now
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

/** Writes the line after the commit and before the answer. If that fails, the queued job tries again. */
export async function writeJournalEntry({ config }: Context, entry: JournalEntry, log: Log): Promise<void> {
  await appendEntries(config.dataDir, [entry]).catch((error: unknown) =>
    log.error(
      { err: error },
      'The deletion journal could not be written. A queued job will try again. Check that DATA_DIR is writable and not full.',
    ),
  );
}
