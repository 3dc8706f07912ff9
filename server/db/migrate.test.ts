import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { copyDatabase } from '#server/testing/databases.ts';
import { migrate, newestMigration } from './migrate.ts';

test('migrate ignores the statement timeout of requests', async () => {
  const databases = inject('databases');
  const name = `${databases.template}_empty`;
  const { connection, drop } = await copyDatabase({ ...databases, template: 'template0' }, name);
  try {
    // With a limit of one millisecond, creating any table would fail.
    await migrate({ ...connection, statement_timeout: 1 });
    const client = new pg.Client(connection);
    await client.connect();
    const { rows } = await client.query<{ there: boolean }>(`select to_regclass('listings') is not null as there`);
    await client.end();
    expect(rows[0]?.there).toBe(true);
  } finally {
    await drop();
  }
});

describe('migrate of a database whose migrations this version does not know', () => {
  let database: Awaited<ReturnType<typeof copyDatabase>>;
  let client: pg.Client;
  beforeAll(async () => {
    database = await copyDatabase(inject('databases'));
    client = new pg.Client(database.connection);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const record = (name: string) => client.query(`insert into kysely_migration values ($1, now()::text)`, [name]);

  test('of a newer version, names them and says which version to install', async () => {
    await record('999-later');
    await expect(migrate(database.connection)).rejects.toThrow(
      /^This version does not know the migrations 999-later\. Install the version that created them, or a newer one\. The database was not changed\.$/u,
    );
  });

  test('from before 0.1.0, says to export with the old version and to import', async () => {
    await client.query('delete from kysely_migration where name in ($1, $2)', [newestMigration(), '999-later']);
    await record('026-membership');
    await expect(migrate(database.connection)).rejects.toThrow(
      /before version 0\.1\.0.*"npm run archive -- export DIR".*"npm run archive -- import DIR".*was not changed\.$/u,
    );
  });
});
