import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { migrateQueue } from '#server/platform/jobs/job-queue.ts';
import { roleOf } from './application-role.ts';
import { protectAuditLog } from './audit-log-owner.ts';
import { type Database, type Db, openDatabase } from './client.ts';

export const minPostgresVersion = 14;

const migrationLock = 7_246_185;

const folder = new URL('migrations/', import.meta.url);

export const migrationNames = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => name.slice(0, -'.sql'.length));

/**
 * Returns the name of the last migration. A database with this migration has the tables of this version or of a later
 * one.
 */
export const newestMigration = (): string => migrationNames().at(-1) ?? '';

export async function readAppliedMigrations(db: Db): Promise<string[]> {
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists`.execute(db);
  if (!found[0]?.exists) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Returns why this version cannot use tables or a backup with these migrations, and what to do. Null: it can use them.
 */
export function explainUnknownMigrations(applied: readonly string[]): string | null {
  const known = migrationNames();
  if (applied.every((name, index) => name === known[index])) return null;
  // A newer version has the migrations of this one, and more.
  return known.every((name, index) => name === applied[index])
    ? `This version does not know the migrations ${applied.slice(known.length).join(', ')}. Install the version that created them, or a newer one.`
    : 'These tables are from before version 0.1.0, and cannot be migrated. Install the version that created them, run ' +
        '"npm run archive -- export DIR" with it, and import DIR into a new data folder and database with ' +
        '"npm run archive -- import DIR" of this version. See docs/upgrading.md, “To 0.1.0, from an earlier checkout”.';
}

const readMigrations = async (): Promise<Record<string, Migration>> =>
  Object.fromEntries(migrationNames().map((name) => [name, { up: (db) => applyMigrations(db, [name]) }]));

/** Runs these migrations in the current schema without recording them in the migration table. */
export async function applyMigrations(db: Pick<Db, 'getExecutor'>, names: readonly string[]): Promise<void> {
  for (const name of names) await sql.raw(await readFile(new URL(`${name}.sql`, folder), 'utf8')).execute(db);
}

/**
 * Migrates the database to this version, including the tables of the job queue. Several processes may start
 * concurrently: one migrates, the others wait.
 * @param auditOwner connection as the owner of the audit log, which gets the log afterwards. Null: the owner of the
 * tables keeps it
 * @throws Error with a message for the operator if PostgreSQL is too old or a migration fails
 */
export async function migrate(connection: pg.PoolConfig, auditOwner: pg.PoolConfig | null = null): Promise<void> {
  // Migrations run without a statement timeout: creating an index for a million people takes longer than a request may.
  const database = openDatabase({ ...connection, statement_timeout: 0 }, () => undefined);
  try {
    await migrateWith(database, auditOwner);
  } finally {
    await database.close();
  }
}

async function migrateWith({ db, pool }: Database, auditOwner: pg.PoolConfig | null): Promise<void> {
  const { rows } = await pool.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  const version = Math.floor((rows[0]?.version ?? 0) / 10_000);
  if (version < minPostgresVersion) {
    throw new Error(
      `The database is PostgreSQL ${version}, but the archive needs PostgreSQL ${minPostgresVersion} or newer.`,
    );
  }
  // One process migrates, the others wait. Kysely's own lock covers the application's tables only.
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await migrateTables(db);
    if (auditOwner) await giveAuditLog(auditOwner, roleOf(pool.options));
    await migrateQueue(pool);
  } finally {
    // Closes the connection, which releases the lock.
    client.release(true);
  }
}

async function giveAuditLog(auditOwner: pg.PoolConfig, application: string): Promise<void> {
  const client = new pg.Client(auditOwner);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await protectAuditLog(client, application);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Runs pending migrations of the application's tables in one transaction.
 * @param level name of the last migration to run; default: the newest
 * @throws Error with a message for the operator if a migration fails, or the tables have unknown migrations; the
 * database is then unchanged
 */
export async function migrateTables(db: Db, level?: string): Promise<void> {
  const problem = explainUnknownMigrations(await readAppliedMigrations(db));
  if (problem !== null) throw new Error(`${problem} The database was not changed.`);
  const migrator = new Migrator({ db, provider: { getMigrations: readMigrations } });
  const { error } = await (level === undefined ? migrator.migrateToLatest() : migrator.migrateTo(level));
  if (error) throw new Error('A migration failed. The database was not changed.', { cause: error });
}
