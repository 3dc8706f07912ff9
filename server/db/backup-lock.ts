import { sql } from 'kysely';
import type pg from 'pg';
import type { Db } from './client.ts';

/** Any number of our own: whoever makes a backup shares this lock for as long as it takes. */
const backupLock = 7_246_184;

/**
 * Says that a backup is being made, until the connection ends. It has to be called before the backup's snapshot is taken.
 * @param client a connection of the backup's own, direct and not through a pooler
 */
export async function announceBackup(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1)', [backupLock]);
}

/** Whether a backup is being made by anybody. One that begins after the question sees all that was committed before it. */
export async function isBackupRunning(db: Db): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${backupLock}) as free`.execute(db);
  return rows[0]?.free === false;
}
