import pg from 'pg';
import { announceBackup } from '#server/db/backup-lock.ts';
import { emptyTrash } from '#server/domain/people/pictures.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';

/**
 * Runs work in a read-only snapshot of the database, on a separate connection. Pictures in the snapshot stay readable
 * until the work ends, even if users delete them.
 */
export async function withSnapshot<Result>(
  { connection, context }: Pick<OpenArchive, 'connection' | 'context'>,
  applicationName: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...connection, application_name: applicationName, statement_timeout: 0 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('set idle_in_transaction_session_timeout = 0');
    // Take the lock before the snapshot, so that a picture deleted between the two stays readable as well.
    await announceBackup(client);
    await client.query('begin isolation level repeatable read, read only');
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
    await emptyTrash(context).catch(() => undefined);
  }
}
