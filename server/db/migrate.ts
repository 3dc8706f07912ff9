import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { migrateQueue } from '../platform/jobs/job-queue.ts';
import { roleOf } from './application-role.ts';
import { protectAuditLog } from './audit-log-owner.ts';
import { type Database, type Db, openDatabase } from './client.ts';

/** Oldest supported and tested major version of PostgreSQL. */
export const minPostgresVersion = 14;

/** Key of the advisory lock that a migrating process holds. The number is arbitrary. */
const migrationLock = 7_246_185;

const folder = new URL('migrations/', import.meta.url);

/** Returns the names of all files `migrations/NNN-name.sql`, without the extension, ordered by number. */
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

/** Reads all migrations. No down migrations exist: going back means restoring a backup. */
const readMigrations = async (): Promise<Record<string, Migration>> =>
  Object.fromEntries(migrationNames().map((name) => [name, { up: (db) => applyMigrations(db, [name]) }]));

/** Runs these migrations in the current schema without recording them in the migration table. */
export async function applyMigrations(db: Pick<Db, 'getExecutor'>, names: readonly string[]): Promise<void> {
  for (const name of names) await sql.raw(await readFile(new URL(`${name}.sql`, folder), 'utf8')).execute(db);
}

/**
 * Migrates the database to this version, including the tables of the job queue. Several processes may start
 * concurrently: one migrates, the others wait.
 * @param auditOwner connection as the owner of the audit log, which gets the log afterwards. Null: the owner of the tables keeps it
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
 * @throws Error if a migration fails; the database is then unchanged
 */
export async function migrateTables(db: Db, level?: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: readMigrations } });
  const { error } = await (level === undefined ? migrator.migrateToLatest() : migrator.migrateTo(level));
  if (error) throw new Error('A migration failed. The database was not changed.', { cause: error });
}
