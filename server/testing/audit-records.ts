import pg from 'pg';
import { inject } from 'vitest';
import type { TestArchive } from './archive.ts';

/** Runs statements as the role that created the database: the server's role cannot change the audit log. */
export async function asSuperuser({ pool }: TestArchive, statements: string): Promise<void> {
  const client = new pg.Client({ ...inject('databases').superuser, database: pool.options.database });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}

/** Breaks the hashes of the records. */
export const passAuditTime = (archive: TestArchive, interval: string): Promise<void> =>
  asSuperuser(
    archive,
    `alter table audit_records disable trigger user;
     update audit_records set recorded_at = recorded_at - interval ${pg.escapeLiteral(interval)};
     alter table audit_records enable trigger user`,
  );

export const refuseAuditRecords = (archive: TestArchive, isRefused: boolean): Promise<void> =>
  asSuperuser(
    archive,
    isRefused
      ? 'alter table audit_records add constraint refused check (false) not valid'
      : 'alter table audit_records drop constraint refused',
  );
