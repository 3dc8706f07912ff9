import { openDatabase } from './db/client.ts';
import { borrowEmbedded, startEmbedded } from './db/embedded.ts';
import { migrate } from './db/migrate.ts';
import type { Context } from './domain/context.ts';
import { createContext } from './main.ts';
import { type Config, readConfig } from './platform/config.ts';
import { hasDatabase, openDataFolder, plainDataFolder, requireWholeData } from './platform/data-folder.ts';
import { readInstitution } from './platform/institution.ts';
import type pg from 'pg';

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
  /** Leaves the tables as they are, of whichever version: a backup is made before an upgrade as well. */
  readonly migrates?: boolean;
}

/**
 * Opens the archive of an environment for a command of the operator's. The embedded PostgreSQL is used as it is when the
 * product runs, and started for as long as the command takes when it does not.
 * @throws Error with a sentence for the operator
 */
export async function openArchive(
  environment: NodeJS.ProcessEnv,
  { alone = false, begins = false, halfRestored = false, migrates = true }: Options = {},
): Promise<OpenArchive> {
  const asked = readConfig(environment);
  const institution = readInstitution(asked.institutionFile);
  const folder = asked.databaseUrl === null ? openDataFolder(asked.dataDir) : plainDataFolder(asked.dataDir);
  const config: Config = { ...asked, dataDir: folder.path };
  if (!halfRestored) requireWholeData(config.dataDir);
  if (config.databaseUrl === null && !begins && !hasDatabase(config.dataDir))
    throw new Error(
      `There is no archive in ${config.dataDir} yet. Is DATA_DIR right? The first "npm start" makes one.`,
    );
  const place = { dataDir: config.dataDir, user: folder.postgresUser };
  const embedded =
    config.databaseUrl === null ? ((alone ? null : await borrowEmbedded(place)) ?? (await startEmbedded(place))) : null;
  const connection = embedded?.connection ?? { connectionString: config.databaseUrl ?? '' };
  try {
    if (migrates) await migrate(connection);
    // Commands take as long as they take.
    const database = openDatabase({ ...connection, statement_timeout: 0 }, () => undefined);
    return {
      config,
      context: createContext(config, institution, database),
      pool: database.pool,
      connection,
      close: async () => {
        await database.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}
