import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import pg from 'pg';
import { extract, pack } from 'tar-stream';
import { urlOf } from '#server/db/url.ts';
import { executorOf } from '#server/platform/jobs/job-queue.ts';
import { exportJobs } from '#server/platform/jobs/job-transfer.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { type TestDatabases, copyDatabase } from '#server/testing/databases.ts';

export interface Installation {
  readonly settings: { readonly DATABASE_URL: string; readonly DATA_DIR: string };
  readonly connection: pg.PoolConfig;
  /** Opens a test archive on a copy of the database, with the same data folder. */
  open(): Promise<TestArchive>;
  drop(): Promise<void>;
}

/**
 * Gives a role the schema and with it the right to replace the audit log, as docs/operations.md says for a restore to a
 * database at DATABASE_URL.
 */
async function allowRestore({ superuser, server }: TestDatabases, database: string | undefined): Promise<void> {
  const client = new pg.Client({ ...superuser, database });
  await client.connect();
  try {
    await client.query(`alter schema public owner to ${pg.escapeIdentifier(server.user ?? '')}`);
  } finally {
    await client.end();
  }
}

export async function createInstallation(databases: TestDatabases): Promise<Installation> {
  const { connection, drop } = await copyDatabase(databases);
  await allowRestore(databases, connection.database);
  const dataDir = mkdtempSync(join(tmpdir(), 'archive-place-'));
  return {
    settings: { DATABASE_URL: urlOf(connection), DATA_DIR: dataDir },
    connection,
    open: () => openArchive({ ...databases, template: connection.database ?? '' }, { DATA_DIR: dataDir }),
    drop: async () => {
      await drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Queries without ids and counts, because a restore rebuilds the vocabulary with new ids. */
const queriesWithoutIds: Record<string, string> = {
  search_words: 'select word as row from search_words',
  search_spellings: `select key || ' ' || word as row from search_spellings join search_words on id = word_id`,
};

/**
 * Returns all rows of all permanent tables, as text, and the pending jobs. The table `clock` is omitted, because
 * opening a test archive updates it.
 */
export async function readAllRows(pool: pg.Pool): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class as c where c.relnamespace = 'public'::regnamespace
       and c.relkind = 'r' and c.relpersistence = 'p' and c.relname not like 'kysely%' and c.relname <> 'clock'`,
  );
  const all: Record<string, string[]> = {};
  for (const { name } of tables) {
    const query = queriesWithoutIds[name] ?? `select to_jsonb(t)::text as row from ${name} as t`;
    const { rows } = await pool.query<{ row: string }>(`${query} order by 1`);
    all[name] = rows.map(({ row }) => row);
  }
  const jobs = (await exportJobs(executorOf(pool))).map((job) => JSON.stringify({ ...job, id: '' })).toSorted();
  return { ...all, jobs };
}

/**
 * Copies a backup with changed entries and a matching checksum.
 * @param change returns the entries that replace one entry
 */
export async function rewriteBackup(
  from: string,
  to: string,
  change: (name: string, content: Buffer) => readonly (readonly [name: string, content: Buffer | string])[],
): Promise<void> {
  const [source, target] = [extract(), pack()];
  const writing = pipeline(target, createGzip(), createWriteStream(to));
  const reading = pipeline(createReadStream(from), createGunzip(), source);
  const digest = createHash('sha256');
  let entries = 0;
  for await (const part of source) {
    const content = await buffer(part);
    if (part.header.name === 'end.json') continue;
    for (const [name, changed] of change(part.header.name, content)) {
      entries++;
      digest.update(`${createHash('sha256').update(changed).digest('hex')}  ${name}\n`);
      target.entry({ name }, changed);
    }
  }
  await reading;
  target.entry({ name: 'end.json' }, JSON.stringify({ entries, digest: digest.digest('hex') }));
  target.finalize();
  await writing;
}
