import { sql } from 'kysely';
import type pg from 'pg';
import type { Db } from './client.ts';

const backupLock = 7_246_184;

/**
 * Takes the shared backup lock until the connection ends. Call it before the snapshot of the backup is taken.
 * @param client a separate, direct connection, not through a pooler
 */
export async function announceBackup(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1)', [backupLock]);
}

/**
 * Returns whether any backup is running. A backup that starts later sees everything that was committed before this
 * call.
 */
export async function isBackupRunning(db: Db): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${backupLock}) as free`.execute(db);
  return rows[0]?.free === false;
}
