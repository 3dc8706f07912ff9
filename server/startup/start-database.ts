import type pg from 'pg';
import { type Database, openDatabase } from '#server/db/client.ts';
import { connectToRunningEmbedded, startEmbedded } from '#server/platform/embedded-postgres/server.ts';
import { waitForDatabase } from '#server/db/wait-for-database.ts';
import type { Config } from '#server/platform/config/config.ts';
import type { Log } from '#server/platform/log/log.ts';
import type { Settings } from './settings.ts';

const atUrl = (connectionString: string, { auditDatabaseUrl }: Config) => ({
  connection: { connectionString },
  // The application owns the database and could set its search path, so the owner of the audit log does not use that
  // path.
  auditOwner:
    auditDatabaseUrl === null ? null : { connectionString: auditDatabaseUrl, options: '-c search_path=public' },
  stop: async () => undefined,
});

export async function startDatabase({ config, folder }: Settings, log: Log) {
  if (config.databaseUrl === null) {
    const settings = { max_connections: String(20 + 12 * (config.workers + 1)) };
    const embedded = await startEmbedded({ dataDir: folder.path, user: folder.postgresUser, log, settings });
    const { connection, auditOwner } = embedded;
    return { embedded, connection, auditOwner, stop: () => embedded.stop() };
  }
  const server = atUrl(config.databaseUrl, config);
  await waitForDatabase(server.connection, (place) => process.stderr.write(`Waiting for the database at ${place} …\n`));
  return { embedded: null, ...server };
}

/**
 * Connects a command to the database server. Starts the embedded server until `stop` if it is not running.
 * @param isAlone whether to throw if the server of the archive is running on the embedded database
 */
export async function connectToDatabase({ config, folder }: Pick<Settings, 'config' | 'folder'>, isAlone = false) {
  if (config.databaseUrl !== null) return atUrl(config.databaseUrl, config);
  const place = { dataDir: folder.path, user: folder.postgresUser };
  return (isAlone ? null : await connectToRunningEmbedded(place)) ?? (await startEmbedded(place));
}

export type Pools = ReturnType<typeof openPools>;

/** Opens the connection pools. `forRequests` uses the pooler if one is configured; only LISTEN bypasses the pooler. */
export function openPools({ poolerUrl, replicaUrl }: Config, connection: pg.PoolConfig, log: Log) {
  const onError = (err: Error) => log.warn({ err }, 'An idle database connection failed');
  const database = openDatabase(connection, onError);
  const pooler = poolerUrl ? openDatabase({ connectionString: poolerUrl }, onError, { isPooled: true }) : null;
  const forRequests: Database = { ...(pooler ?? database), listenTo: (channel) => database.listenTo(channel) };
  const replica = replicaUrl
    ? openDatabase({ connectionString: replicaUrl, connectionTimeoutMillis: 2_000 }, onError)
    : null;
  const close = () => Promise.all([replica, pooler, database].map(async (pool) => pool?.close()));
  return { database, pooler, forRequests, replica, close };
}
