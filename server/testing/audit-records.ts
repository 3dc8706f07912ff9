import type { TestArchive } from './archive.ts';

/** Moves all records of the audit log into the past. This breaks their hashes. */
export async function passAuditTime({ pool }: TestArchive, interval: string): Promise<void> {
  await pool.query('alter table audit_records disable trigger user');
  await pool.query('update audit_records set recorded_at = recorded_at - $1::interval', [interval]);
  await pool.query('alter table audit_records enable trigger user');
}

/** Makes every new record of the audit log fail, or ends this. */
export async function refuseAuditRecords({ pool }: TestArchive, isRefused: boolean): Promise<void> {
  await pool.query(
    isRefused
      ? 'alter table audit_records add constraint refused check (false) not valid'
      : 'alter table audit_records drop constraint refused',
  );
}
