import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { createContext } from './create-context.ts';
import { openDatabase } from '../db/client.ts';
import { migrate } from '../db/migrate.ts';
import type { Context } from '../domain/context.ts';
import type { Config } from '../platform/config/config.ts';
import { hasDatabase, requireFinishedRestore } from '../platform/storage/data-folder.ts';
import { createSecretBox, hasSecretKey } from '../platform/crypto/secret-box.ts';
import { createSteps } from '../platform/lifecycle/steps.ts';
import { openSettings } from './settings.ts';
import { reachDatabase } from './start-database.ts';

/** An archive that a command works on, beside the running product or without it. */
export interface OpenArchive {
  readonly config: Config;
  readonly context: Context;
  readonly pool: pg.Pool;
  /** How to reach the database, for further connections. */
  readonly connection: pg.PoolConfig;
  close(): Promise<void>;
}

interface Options {
  /** Refuses when the product is running on the embedded database: for what replaces everything. */
  readonly alone?: boolean;
  /** Makes a database where there is none yet: for what brings people. Elsewhere that is a DATA_DIR with a slip in it. */
  readonly begins?: boolean;
  /** Also opens what a restore that was cut short has left: for what puts it right, or says so. */
  readonly halfRestored?: boolean;
  /** Also opens a DATA_DIR that does not seem to be the database's: for what puts it right, says so, or was told to go on. */
  readonly anyFolder?: boolean;
  /** Leaves the tables as they are, of whichever version: a backup is made before an upgrade as well. */
  readonly migrates?: boolean;
}

/**
 * Opens the archive of an environment for a command. The embedded PostgreSQL of a running product is shared; otherwise it is started
 * until `close`.
 * @throws Error with a sentence for the operator
 */
export async function openArchive(
  environment: NodeJS.ProcessEnv,
  { alone = false, anyFolder = false, begins = false, halfRestored = false, migrates = true }: Options = {},
): Promise<OpenArchive> {
  const settings = openSettings(environment);
  const { config, institution } = settings;
  const { run, undo: close } = createSteps((error, name) =>
    process.stderr.write(`Closing failed: ${name}: ${String(error)}\n`),
  );
  try {
    if (!halfRestored) await run('data folder', () => requireFinishedRestore(config.dataDir));
    if (config.databaseUrl === null && !begins && !hasDatabase(config.dataDir))
      throw new Error(
        `There is no archive in ${config.dataDir} yet. Is DATA_DIR right? The first "npm start" makes one.`,
      );
    const { connection } = await run('database', () => reachDatabase(settings, alone));
    // A command may take any time.
    const unlimited = { ...connection, statement_timeout: 0 };
    const database = await run('connection pool', () => openDatabase(unlimited, () => undefined));
    if (!anyFolder && (await isForeignFolder(database.pool, config))) throw new Error(foreignFolder(config.dataDir));
    // The key of people who are imported before the first start.
    if (begins && config.databaseUrl !== null)
      await run('second-factor key', () => createSecretBox(config.dataDir).ensureKey());
    if (migrates) await run('migrations', () => migrate(connection));
    return { config, context: createContext(config, institution, database), pool: database.pool, connection, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Runs work that does not change the database. If there is no embedded database yet, it runs on a temporary one, which is deleted
 * afterwards.
 */
export async function withDatabase<Result>(
  environment: NodeJS.ProcessEnv,
  work: (connection: pg.PoolConfig, config: Config) => Promise<Result>,
): Promise<Result> {
  const { config, folder } = openSettings(environment);
  const isNew = config.databaseUrl === null && !hasDatabase(folder.path);
  const path = isNew ? await mkdtemp(join(folder.path, 'temporary-')) : folder.path;
  // For the user that PostgreSQL runs as.
  if (isNew) await chmod(path, 0o711);
  try {
    const { connection, stop } = await reachDatabase({ config, folder: { ...folder, path } });
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
 * Whether a data folder does not seem to belong to the database at DATABASE_URL, which is found whatever DATA_DIR says: it has
 * people, and the folder has no key, which every start makes.
 */
export async function isForeignFolder(pool: pg.Pool, { databaseUrl, dataDir }: Config): Promise<boolean> {
  if (databaseUrl === null || hasSecretKey(dataDir)) return false;
  const { rows: found } = await pool.query<{ there: boolean }>(`select to_regclass('accounts') is not null as there`);
  if (!found[0]?.there) return false;
  const { rows } = await pool.query<{ some: boolean }>('select exists (select from accounts) as some');
  return rows[0]?.some ?? false;
}

/** What to do then. */
export const foreignFolder = (dataDir: string): string =>
  `${dataDir} is not the data folder of the archive at DATABASE_URL: there is no second-factor.key in it. Is DATA_DIR right, and its disk there? The first "npm start" makes the key.`;
