import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type pg from 'pg';
import { migrateQueue } from '../platform/jobs/job-queue.ts';
import { moveLegacyJobs } from '../platform/jobs/job-transfer.ts';
import { type Database, type Db, openDatabase } from './client.ts';

/** The oldest major version of PostgreSQL that is supported and tested. */
export const oldestVersion = 14;

const folder = new URL('migrations/', import.meta.url);

/** The name of every `NNN-name.sql` beside this file, in the order of its number. */
export const migrationNames = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => name.slice(0, -'.sql'.length));

/** The name of the last one: a database that has it has the tables of this version, or of a later one. */
export const newestMigration = (): string => migrationNames().at(-1) ?? '';

/** All of them; there is no way back but a backup. */
const readMigrations = async (): Promise<Record<string, Migration>> =>
  Object.fromEntries(migrationNames().map((name) => [name, { up: (db) => applyMigrations(db, [name]) }]));

/** Runs these migrations in the current schema, and does not record that they were run. */
export async function applyMigrations(db: Pick<Db, 'getExecutor'>, names: readonly string[]): Promise<void> {
  for (const name of names) await sql.raw(await readFile(new URL(`${name}.sql`, folder), 'utf8')).execute(db);
}

/**
 * Brings the database to this version of the product, the tables of the job queue included. Several processes may start
 * at once: one of them migrates, the others wait.
 * @throws Error with a sentence for the operator when the server is too old or a migration fails
 */
export async function migrate(connection: pg.PoolConfig): Promise<void> {
  // Connections of its own: an index over a million people takes longer than any request may.
  const database = openDatabase({ ...connection, statement_timeout: 0 }, () => undefined);
  try {
    await migrateWith(database);
  } finally {
    await database.close();
  }
}

async function migrateWith({ db, pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  const version = Math.floor((rows[0]?.version ?? 0) / 10_000);
  if (version < oldestVersion) {
    throw new Error(`The database is PostgreSQL ${version}; this product needs ${oldestVersion} or newer.`);
  }
  await migrateTables(db);
  await migrateQueue(pool);
  await moveLegacyJobs(db);
}

/**
 * Brings the tables to a level of this product, all in one transaction.
 * @param level the name of the last migration; without it, the newest one
 */
export async function migrateTables(db: Db, level?: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: readMigrations } });
  const { error } = await (level === undefined ? migrator.migrateToLatest() : migrator.migrateTo(level));
  if (error) throw new Error('A migration failed; the database is as it was before it.', { cause: error });
}
