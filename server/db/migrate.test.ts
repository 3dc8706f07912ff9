import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { copyDatabase } from '../testing/databases.ts';
import { migrate } from './migrate.ts';

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
