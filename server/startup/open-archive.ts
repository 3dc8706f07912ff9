import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { createContext } from './create-context.ts';
import { openDatabase } from '#server/db/client.ts';
import { migrate } from '#server/db/migrate.ts';
import { adoptMembershipMode } from '#server/domain/membership/membership-mode.ts';
import type { Context } from '#server/domain/context.ts';
import type { Config } from '#server/platform/config/config.ts';
import { hasDatabase, requireFinishedRestore } from '#server/platform/storage/data-folder.ts';
import { createSecretBox, hasSecretKey } from '#server/platform/crypto/secret-box.ts';
import { createSteps } from '#server/platform/lifecycle/steps.ts';
import { openSettings } from './settings.ts';
import { connectToDatabase } from './start-database.ts';

export interface OpenArchive {
  readonly config: Config;
  readonly context: Context;
  readonly pool: pg.Pool;
  readonly connection: pg.PoolConfig;
  /** Connection as the owner of the audit log. Null: the database is at DATABASE_URL. */
  readonly auditOwner: pg.PoolConfig | null;
  close(): Promise<void>;
}

interface Options {
  /** Whether to fail if the server is running on the embedded database. For commands that replace all data. */
  readonly isExclusive?: boolean;
  /** For imports. For other commands, a missing database means that DATA_DIR is mistyped. */
  readonly canCreate?: boolean;
  /** Whether to open an archive after an interrupted restore, for commands that repair or report it. */
  readonly allowsInterruptedRestore?: boolean;
  /**
   * Whether to open a DATA_DIR that does not seem to belong to the database, for commands that repair, report or
   * explicitly ignore this.
   */
  readonly allowsForeignFolder?: boolean;
  /** Whether to migrate the tables. False leaves tables of any version unchanged, for a backup before an upgrade. */
  readonly shouldMigrate?: boolean;
}

/**
 * Opens the archive for a command. Uses the embedded PostgreSQL of a running server; otherwise starts it until `close`.
 * @throws Error with a message for the operator
 */
export async function openArchive(
  environment: NodeJS.ProcessEnv,
  {
    isExclusive = false,
    allowsForeignFolder = false,
    canCreate = false,
    allowsInterruptedRestore = false,
    shouldMigrate = true,
  }: Options = {},
): Promise<OpenArchive> {
  const settings = openSettings(environment);
  const { config, institution } = settings;
  const { run, undo: close } = createSteps((error, name) =>
    process.stderr.write(`Closing failed: ${name}: ${String(error)}\n`),
  );
  try {
    if (!allowsInterruptedRestore) await run('data folder', () => requireFinishedRestore(config.dataDir));
    if (config.databaseUrl === null && !canCreate && !hasDatabase(config.dataDir))
      throw new Error(
        `There is no archive in ${config.dataDir}. Check DATA_DIR. The first "npm start" creates an archive.`,
      );
    const { connection, auditOwner } = await run('database', () => connectToDatabase(settings, isExclusive));
    // Commands have no time limit.
    const unlimited = { ...connection, statement_timeout: 0 };
    const database = await run('connection pool', () => openDatabase(unlimited, () => undefined));
    if (!allowsForeignFolder && (await isForeignFolder(database.pool, config)))
      throw new Error(foreignFolderMessage(config.dataDir));
    // People may be imported before the first start, and their second factors need the key.
    if (canCreate && config.databaseUrl !== null)
      await run('second-factor key', () => createSecretBox(config.dataDir).ensureKey());
    if (shouldMigrate) {
      await run('migrations', () => migrate(connection, auditOwner));
      // People may be imported before the first start.
      if (canCreate) await run('membership', () => adoptMembershipMode(database.db, institution));
    }
    const context = createContext(config, institution, database);
    return { config, context, pool: database.pool, connection, auditOwner, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Runs work that does not change the database. If no embedded database exists yet, the work runs on a temporary one,
 * which is deleted afterwards.
 */
export async function withDatabase<Result>(
  environment: NodeJS.ProcessEnv,
  work: (connection: pg.PoolConfig, config: Config) => Promise<Result>,
): Promise<Result> {
  const { config, folder } = openSettings(environment);
  const isNew = config.databaseUrl === null && !hasDatabase(folder.path);
  const path = isNew ? await mkdtemp(join(folder.path, 'temporary-')) : folder.path;
  // The system user of PostgreSQL needs access.
  if (isNew) await chmod(path, 0o711);
  try {
    const { connection, stop } = await connectToDatabase({ config, folder: { ...folder, path } });
    try {
      return await work(connection, config);
    } finally {
      await stop();
    }
  } finally {
    if (isNew) await rm(path, { recursive: true, force: true });
  }
}

/**
 * Returns whether the data folder does not seem to belong to the database at DATABASE_URL: the database has accounts,
 * but the folder has no installation key, which every start creates.
 */
export async function isForeignFolder(pool: pg.Pool, { databaseUrl, dataDir }: Config): Promise<boolean> {
  if (databaseUrl === null || hasSecretKey(dataDir)) return false;
  const { rows: found } = await pool.query<{ there: boolean }>(`select to_regclass('accounts') is not null as there`);
  if (!found[0]?.there) return false;
  const { rows } = await pool.query<{ some: boolean }>('select exists (select from accounts) as some');
  return rows[0]?.some ?? false;
}

export const foreignFolderMessage = (dataDir: string): string =>
  `${dataDir} does not seem to be the data folder of the archive at DATABASE_URL: it has no second-factor.key. Check DATA_DIR, and that its disk is mounted. The first "npm start" creates the key.`;
