import type pg from 'pg';
import { type Database, openDatabase } from '../db/client.ts';
import { connectToRunningEmbedded, startEmbedded } from '../db/embedded.ts';
import { waitForDatabase } from '../db/wait-for-database.ts';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/log/log.ts';
import type { Settings } from './settings.ts';

const atUrl = (connectionString: string) => ({ connection: { connectionString }, stop: async () => undefined });

/** Starts the embedded PostgreSQL for the product, or waits for the server at DATABASE_URL. */
export async function startDatabase({ config, folder }: Settings, log: Log) {
  if (config.databaseUrl === null) {
    const settings = { max_connections: String(20 + 12 * (config.workers + 1)) };
    const embedded = await startEmbedded({ dataDir: folder.path, user: folder.postgresUser, log, settings });
    return { embedded, connection: embedded.connection, stop: () => embedded.stop() };
  }
  const server = atUrl(config.databaseUrl);
  await waitForDatabase(server.connection, (place) => process.stderr.write(`Waiting for the database at ${place} …\n`));
  return { embedded: null, ...server };
}

/**
 * Connects a command to the database server. An embedded one that is not running is started until `stop`.
 * @param isAlone whether to refuse the embedded server of a running product
 */
export async function reachDatabase({ config, folder }: Pick<Settings, 'config' | 'folder'>, isAlone = false) {
  if (config.databaseUrl !== null) return atUrl(config.databaseUrl);
  const place = { dataDir: folder.path, user: folder.postgresUser };
  return (isAlone ? null : await connectToRunningEmbedded(place)) ?? (await startEmbedded(place));
}

/** The connection pools of a server process. */
export type Pools = ReturnType<typeof openPools>;

/** Opens the connection pools. `forRequests` uses the pooler if there is one; only its notifications bypass it. */
export function openPools({ poolerUrl, replicaUrl }: Config, connection: pg.PoolConfig, log: Log) {
  const onError = (err: Error) => log.warn({ err }, 'An idle connection to the database broke');
  const database = openDatabase(connection, onError);
  const pooler = poolerUrl ? openDatabase({ connectionString: poolerUrl }, onError, { isPooled: true }) : null;
  const forRequests: Database = { ...(pooler ?? database), listenTo: (channel) => database.listenTo(channel) };
  const replica = replicaUrl
    ? openDatabase({ connectionString: replicaUrl, connectionTimeoutMillis: 2_000 }, onError)
    : null;
  const close = () => Promise.all([replica, pooler, database].map(async (pool) => pool?.close()));
  return { database, pooler, forRequests, replica, close };
}
