import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type SystemUser, hasDatabase } from '../storage/data-folder.ts';
import type { Log } from '../log/log.ts';
import {
  type DatabaseRole,
  applicationRole,
  auditOwnerRole,
  databaseName,
  prepareDatabase,
  rolePassword,
} from '#server/db/application-role.ts';
import { findBinaries } from './binaries.ts';
import { checkVersion, makeCluster, openSocketFolder, readPassword, superuser } from './cluster-folder.ts';
import { hasEnded, launch, serverPid, startFailureMessage, stopFast, stopServer } from './server-process.ts';

/** A running embedded PostgreSQL server. Connections use its Unix socket, which only its system user can access. */
export interface EmbeddedServer {
  readonly connection: pg.PoolConfig;
  readonly auditOwner: pg.PoolConfig;
  /** Connection as the superuser, for tests. The application connects as the application role. */
  readonly superuser: pg.PoolConfig;
  readonly version: string;
  readonly isAdopted: boolean;
  /** Resolves with the reason when another process has taken over the data folder while the database was down. */
  readonly lost: Promise<Error>;
  stop(): Promise<void>;
}

interface Options {
  readonly dataDir: string;
  readonly user: SystemUser | null;
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: Pick<Log, 'info' | 'warn' | 'error'>;
}

const startTimeoutMs = 20_000;
const ownerLock = 7_246_183;

/**
 * SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html). A role that does not exist also
 * causes `invalidPassword`.
 */
const [cannotConnectNow, invalidPassword] = ['57P03', '28P01'];

/**
 * Starts the bundled PostgreSQL, or adopts a server that a killed process left running. The first start creates the
 * database cluster, which takes about a second. A server that crashes is restarted.
 * @throws Error with a message for the operator if the data folder is in use, was created by another major version, or
 *   the server does not start
 */
export async function startEmbedded({ dataDir, user, settings = {}, log }: Options): Promise<EmbeddedServer> {
  const binaries = findBinaries(user, dataDir);
  const cluster = join(dataDir, 'postgres');
  const password = await readPassword(dataDir);
  if (!hasDatabase(dataDir)) makeCluster(binaries, cluster, password, user);
  checkVersion(cluster, binaries);

  const socketDir = openSocketFolder(dataDir, cluster, user);
  const base = { host: socketDir, port: 5432, user: superuser, password };
  const ending = new AbortController();
  const { signal } = ending;
  let launched: ChildProcess | null = null;

  async function connectAsOwner(): Promise<pg.Client> {
    const startedAt = performance.now();
    let deadline = startedAt + startTimeoutMs;
    let isLogged = false;
    for (;;) {
      if (signal.aborted) throw new Error('The server is shutting down.');
      try {
        return await takeOwnership(base, cluster);
      } catch (error) {
        const { code } = error as { code?: string };
        if (error instanceof DataFolderInUse) throw error;
        if (code === invalidPassword) throw passwordError(error);
        if (code === cannotConnectNow) {
          // Crash recovery can take minutes on a slow disk. A server that is shutting down sends the same code.
          deadline = performance.now() + startTimeoutMs;
          if (!isLogged && performance.now() - startedAt > 5_000) {
            log?.warn({}, 'PostgreSQL is recovering after a crash; this can take minutes');
            isLogged = true;
          }
        } else if (performance.now() > deadline)
          throw launched ? new Error(startFailureMessage(dataDir), { cause: error }) : error;
        else if (!launched || hasEnded(launched)) {
          // A server that is shutting down still holds the lock file, so a new server would exit immediately.
          if (launched) await delay(250);
          launched = launch({ binaries, cluster, socketDir, user, settings });
        }
        await delay(20);
      }
    }
  }

  // Stops the database if this process exits without calling `stop`.
  const onExit = () => void stopFast(cluster);
  const stop = async () => {
    process.off('exit', onExit);
    await stopServer(cluster);
    if (socketDir !== cluster) rmSync(socketDir, { recursive: true, force: true });
  };
  const isOurs = () => launched !== null && serverPid(cluster) === launched.pid;
  let owner: pg.Client;
  try {
    owner = await connectAsOwner();
    process.once('exit', onExit);
    await prepareDatabase(owner, base, {
      database: databaseName,
      application: embeddedRole(base, applicationRole),
      auditOwner: embeddedRole(base, auditOwnerRole),
    });
  } catch (error) {
    if (isOurs()) await stop();
    throw error;
  }

  const lost = Promise.withResolvers<Error>();
  let hasLost = false;
  let reviving = Promise.resolve();
  const watch = (client: pg.Client) =>
    client.once('end', () => {
      if (!signal.aborted) reviving = restartServer();
    });
  async function restartServer(): Promise<void> {
    const since = performance.now();
    log?.error({}, 'PostgreSQL exited unexpectedly; restarting it');
    while (!signal.aborted) {
      try {
        owner = await connectAsOwner();
        watch(owner);
        log?.info({ seconds: Math.round((performance.now() - since) / 1000) }, 'PostgreSQL was restarted');
        return;
      } catch (error) {
        if (error instanceof DataFolderInUse) {
          hasLost = true;
          process.off('exit', onExit);
          return lost.resolve(error);
        }
        log?.error({ err: error }, 'PostgreSQL does not start; trying again');
        await delay(1_000, undefined, { signal }).catch(() => undefined);
      }
    }
  }
  watch(owner);

  return {
    connection: asRole(base, applicationRole),
    auditOwner: asAuditOwner(base),
    superuser: { ...base, database: databaseName },
    version: binaries.version,
    isAdopted: !isOurs(),
    lost: lost.promise,
    // The lock is released only after the server has stopped, so that another start waits instead of adopting a
    // stopping server.
    stop: async () => {
      ending.abort();
      await reviving;
      if (!hasLost) await stop();
      await owner.end().catch(() => undefined);
    },
  };
}

const passwordError = (cause: unknown): Error =>
  new Error(
    'The embedded PostgreSQL rejects the password in secrets/postgres-password. Set it again: docs/operations.md, “The database rejects the password”.',
    { cause },
  );

class DataFolderInUse extends Error {
  override readonly name = 'InUse';
}

export async function connectToRunningEmbedded({
  dataDir,
  user,
}: Pick<Options, 'dataDir' | 'user'>): Promise<Pick<
  EmbeddedServer,
  'connection' | 'auditOwner' | 'superuser' | 'stop'
> | null> {
  const cluster = join(dataDir, 'postgres');
  if (serverPid(cluster) === null) return null;
  const password = await readPassword(dataDir);
  const base = { host: openSocketFolder(dataDir, cluster, user), port: 5432, user: superuser, password };
  const connection = asRole(base, applicationRole);
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if ((error as { code?: string }).code !== invalidPassword) return null;
    throw passwordError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
  return {
    connection,
    auditOwner: asAuditOwner(base),
    superuser: { ...base, database: databaseName },
    stop: async () => undefined,
  };
}

const embeddedRole = ({ password }: { password: string }, name: string): DatabaseRole => ({
  name,
  password: rolePassword(password, name),
});

const asRole = (base: { host: string; port: number; password: string }, role: string) => ({
  ...base,
  user: role,
  password: rolePassword(base.password, role),
  database: databaseName,
});

/**
 * The application owns the database and could set its search path, so the owner of the audit log does not use that
 * path.
 */
const asAuditOwner = (base: Parameters<typeof asRole>[0]) => ({
  ...asRole(base, auditOwnerRole),
  options: '-c search_path=public',
});

/**
 * Takes an advisory lock for the lifetime of this process, so that a second start with the same data folder is refused.
 * @throws DataFolderInUse if another process holds the lock; DatabaseError if the server rejects the connection; Error
 *   if there is no server
 */
async function takeOwnership(base: pg.ClientConfig, cluster: string): Promise<pg.Client> {
  // A hanging server may accept the connection and never respond.
  const timeouts = { connectionTimeoutMillis: 5_000, query_timeout: 2 * startTimeoutMs };
  const client = new pg.Client({ ...base, ...timeouts, database: 'postgres', keepAlive: true });
  client.on('error', () => undefined);
  try {
    await client.connect();
    // The lock of a killed or stopping process is released a moment later.
    for (let attempt = 0; attempt < 40; attempt++) {
      const { rows } = await client.query<{ ours: boolean }>('select pg_try_advisory_lock($1) as ours', [ownerLock]);
      if (rows[0]?.ours) return client;
      await delay(100);
    }
    throw new DataFolderInUse(
      `Another process of the archive is using the data in ${cluster}. Stop it first, or set another DATA_DIR.`,
    );
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
}
