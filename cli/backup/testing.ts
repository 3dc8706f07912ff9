import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { urlOf } from '#server/db/url.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { type TestDatabases, copyDatabase } from '#server/testing/databases.ts';
import type { Tools } from '../command.ts';
import { main } from '../main.ts';

/** How a command ended: its exit code, its result, and what it said beside it. */
export interface Called {
  readonly code: number;
  readonly said: string;
  readonly noted: string;
}

/** Types a command of the operator's, with these settings alone. */
export async function command(environment: NodeJS.ProcessEnv, ...words: string[]): Promise<Called> {
  const [said, noted]: [string[], string[]] = [[], []];
  const tools: Tools = {
    environment,
    // As at a terminal, where it answers something: a command that passes that on would end with it.
    say: (line) => said.push(line),
    note: (line) => void noted.push(line),
    progress: () => ({ add: () => undefined, end: () => undefined }),
  };
  const code = await main(words, environment, tools);
  return { code, said: said.join('\n'), noted: noted.join('\n') };
}

/** The settings with which a command works on the archive of a test. */
export const settingsOf = ({ pool, context }: TestArchive): NodeJS.ProcessEnv => ({
  DATABASE_URL: urlOf(pool.options),
  DATA_DIR: context.config.dataDir,
});

/** A database and a data folder that nobody has used yet. */
export interface Place {
  readonly settings: { readonly DATABASE_URL: string; readonly DATA_DIR: string };
  readonly connection: pg.PoolConfig;
  /** Opens an archive for a test on a copy of the database, and on the data folder itself. */
  open(): Promise<TestArchive>;
  drop(): Promise<void>;
}

/** @param databases the template is what the place's database begins with */
export async function newPlace(databases: TestDatabases): Promise<Place> {
  const { connection, drop } = await copyDatabase(databases);
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

/**
 * Every row of every table that outlives the server, as text, with the jobs that wait. What is known of the clock is left out: an
 * archive that is opened for a test looks at it.
 */
export async function rowsOf(pool: pg.Pool): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class as c where c.relnamespace = 'public'::regnamespace
       and c.relkind = 'r' and c.relpersistence = 'p' and c.relname not like 'kysely%' and c.relname <> 'clock'`,
  );
  const all: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} as t order by 1`);
    all[name] = rows.map(({ row }) => row);
  }
  const { rows: jobs } = await pool.query<{ row: string }>(
    `select jsonb_build_object('task', t.identifier, 'payload', j.payload, 'run_at', j.run_at, 'key', j.key,
       'attempts', j.attempts, 'max', j.max_attempts, 'priority', j.priority)::text as row
     from graphile_worker._private_jobs as j join graphile_worker._private_tasks as t on t.id = j.task_id order by 1`,
  );
  return { ...all, jobs: jobs.map(({ row }) => row) };
}
