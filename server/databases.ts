import type pg from 'pg';
import { type Database, openDatabase } from './db/client.ts';
import { type EmbeddedServer, borrowEmbedded, startEmbedded } from './db/embedded.ts';
import { waitForDatabase } from './db/reachable.ts';
import type { Config } from './platform/config.ts';
import type { Log } from './platform/log.ts';
import type { Settings } from './settings.ts';

/** A database server that can be reached. */
export interface DatabaseServer {
  readonly connection: pg.PoolConfig;
  /** Null for the server at DATABASE_URL. */
  readonly embedded: EmbeddedServer | null;
  stop(): Promise<void>;
}

const atUrl = (connectionString: string): DatabaseServer => ({
  connection: { connectionString },
  embedded: null,
  stop: async () => undefined,
});

/** Starts the embedded PostgreSQL for the product, or waits for the server at DATABASE_URL. */
export async function startDatabase({ config, folder }: Settings, log: Log): Promise<DatabaseServer> {
  if (config.databaseUrl !== null) {
    const server = atUrl(config.databaseUrl);
    await waitForDatabase(server.connection, (place) =>
      process.stderr.write(`Waiting for the database at ${place} …\n`),
    );
    return server;
  }
  const settings = { max_connections: String(20 + 12 * (config.workers + 1)) };
  const embedded = await startEmbedded({ dataDir: folder.path, user: folder.postgresUser, log, settings });
  return { connection: embedded.connection, embedded, stop: () => embedded.stop() };
}

/**
 * Connects a command to the database server. An embedded one that is not running is started until `stop`.
 * @param isAlone whether to refuse an embedded server that belongs to the running product
 */
export async function reachDatabase(
  { config, folder }: Pick<Settings, 'config' | 'folder'>,
  isAlone = false,
): Promise<Pick<DatabaseServer, 'connection' | 'stop'>> {
  if (config.databaseUrl !== null) return atUrl(config.databaseUrl);
  const place = { dataDir: folder.path, user: folder.postgresUser };
  return (isAlone ? null : await borrowEmbedded(place)) ?? (await startEmbedded(place));
}

/** The connection pools of a server process. */
export interface Pools {
  /** Connects to the database itself: for jobs and notifications. */
  readonly database: Database;
  /** Connects through the pooler, if there is one: for requests. */
  readonly pooler: Database | null;
  readonly replica: Database | null;
  close(): Promise<void>;
}

/** Opens the connection pools. They connect when they are first used. */
export function openPools({ poolerUrl, replicaUrl }: Config, connection: pg.PoolConfig, log: Log): Pools {
  const onError = (place: string) => (error: Error) =>
    log.warn({ err: error }, `An idle connection to the ${place} broke`);
  const database = openDatabase(connection, onError('database'));
  const pooler = poolerUrl
    ? openDatabase({ connectionString: poolerUrl }, onError('pooler'), { isPooled: true })
    : null;
  const replica = replicaUrl
    ? openDatabase({ connectionString: replicaUrl, connectionTimeoutMillis: 2_000 }, onError('replica'))
    : null;
  const close = async () => {
    await Promise.all([replica, pooler, database].map((pool) => pool?.close()));
  };
  return { database, pooler, replica, close };
}
