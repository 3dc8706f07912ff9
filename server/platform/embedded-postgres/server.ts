import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type SystemUser, asUser, hasDatabase } from '../storage/data-folder.ts';
import { openKeyFile } from '../crypto/key-file.ts';
import type { Log } from '../log/log.ts';
import {
  type DatabaseRole,
  applicationRole,
  auditOwnerRole,
  databaseName,
  prepareDatabase,
  rolePassword,
} from '#server/db/application-role.ts';
import { type Binaries, findBinaries } from './binaries.ts';

/** A running embedded PostgreSQL server. Connections use its Unix socket, which only its system user can access. */
export interface EmbeddedServer {
  readonly connection: pg.PoolConfig;
  /** Connection as the owner of the audit log, for migrations and the restore command. */
  readonly auditOwner: pg.PoolConfig;
  /** Connection as the superuser, for tests. The application connects as the application role. */
  readonly superuser: pg.PoolConfig;
  readonly version: string;
  /** Whether the server was already running, left over from a killed process. */
  readonly isAdopted: boolean;
  /** Resolves with the reason when another process has taken over the data folder while the database was down. */
  readonly lost: Promise<Error>;
  stop(): Promise<void>;
}

interface Options {
  /** The data folder. The database is in its subfolder `postgres`. */
  readonly dataDir: string;
  readonly user: SystemUser | null;
  /** Additional settings for PostgreSQL, e.g. `{ fsync: 'off' }` for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: Pick<Log, 'info' | 'warn' | 'error'>;
}

/** The superuser that initdb creates. Only this file connects as superuser, to start, watch and prepare the server. */
const superuser = 'archive';
const startTimeoutMs = 20_000;
const maxLogBytes = 10_000_000;
/** Maximum length of a Unix socket path: 107 on Linux, 103 on macOS. */
const maxSocketPathBytes = 103;

/** Key of the advisory lock of the process that owns the data folder. The number is arbitrary. */
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

  const socketDir = socketFolder(dataDir, cluster, user);
  const base = { host: socketDir, port: 5432, user: superuser, password };
  const ending = new AbortController();
  const { signal } = ending;
  /** Server process that this process started last. An adopted server is a different process. */
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
        if (code === invalidPassword)
          throw new Error(
            'The embedded PostgreSQL rejects the password in secrets/postgres-password. Set it again: docs/operations.md, “The database rejects the password”.',
            { cause: error },
          );
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
  const base = { host: socketFolder(dataDir, cluster, user), port: 5432, user: superuser, password };
  const connection = asRole(base, applicationRole);
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if ((error as { code?: string }).code !== invalidPassword) return null;
    throw new Error(
      'The embedded PostgreSQL rejects the password in secrets/postgres-password. Set it again: docs/operations.md, “The database rejects the password”.',
      { cause: error },
    );
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
 * Reads the superuser's password; the first start generates it. The password protects the database from other programs
 * that run as user `nobody`.
 */
async function readPassword(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const generate = async () => randomBytes(24).toString('base64url');
  return (await openKeyFile(join(folder, 'postgres-password'), generate)).trim();
}

/**
 * Creates the cluster in a temporary folder and renames it when complete, so that an interrupted start leaves no
 * partial cluster.
 */
function makeCluster({ initdb }: Binaries, cluster: string, password: string, user: SystemUser | null): void {
  const unfinished = `${cluster}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const passwordFile = `${unfinished}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [unfinished, passwordFile]) chownSync(path, user.uid, user.gid);
  const { status, stderr, error } = spawnSync(
    initdb,
    ['-D', unfinished, '-U', superuser, `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C'],
    { cwd: unfinished, encoding: 'utf8', env: { LC_ALL: 'C', PATH: process.env['PATH'] }, ...asUser(user) },
  );
  rmSync(passwordFile, { force: true });
  if (status !== 0)
    throw new Error(`The database cluster could not be created in ${cluster}: ${error?.message ?? stderr.trim()}`);
  renameSync(unfinished, cluster);
}

function checkVersion(cluster: string, { major }: Binaries): void {
  const made = Number.parseInt(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'), 10);
  if (made !== major) {
    throw new Error(
      `The database in ${cluster} was created by PostgreSQL ${made}, but this version of the archive includes PostgreSQL ${major}. ` +
        'Go back to the previous version, create a backup, and restore it here. See docs/upgrading.md.',
    );
  }
}

/**
 * Returns the folder for the Unix socket: the cluster's folder, or a private folder in the temporary folder if the path
 * would be too long.
 */
function socketFolder(dataDir: string, cluster: string, user: SystemUser | null): string {
  if (Buffer.byteLength(join(cluster, '.s.PGSQL.5432')) <= maxSocketPathBytes) return cluster;
  const file = join(dataDir, 'secrets', 'socket-folder');
  if (existsSync(file)) {
    const known = readFileSync(file, 'utf8').trim();
    if (isClosedFolder(known, user)) return known;
  }
  const folder = join(tmpdir(), `archive-socket-${randomBytes(6).toString('hex')}`);
  mkdirSync(folder, { mode: 0o700 });
  if (user) chownSync(folder, user.uid, user.gid);
  writeFileSync(file, folder);
  return folder;
}

/**
 * Returns whether a path is a real folder of this user with mode 0700. The temporary folder is writable for all users,
 * so the folder's name alone proves nothing.
 */
function isClosedFolder(path: string, user: SystemUser | null): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const owner = user?.uid ?? process.getuid?.();
  return found !== undefined && found.isDirectory() && found.uid === owner && (found.mode & 0o777) === 0o700;
}

const hasEnded = ({ exitCode, signalCode, pid }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null || pid === undefined;

interface Launch extends Required<Pick<Options, 'user' | 'settings'>> {
  readonly binaries: Binaries;
  readonly cluster: string;
  readonly socketDir: string;
}

function launch({ binaries: { postgres }, cluster, socketDir, user, settings }: Launch): ChildProcess {
  const all = {
    listen_addresses: '',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    max_connections: '40',
    // Details of log messages contain personal data: the rejected row, the statement.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_timezone: 'UTC',
    timezone: 'UTC',
    // All queries are short, so compiling them costs more than it saves.
    jit: 'off',
    // Limits the write-ahead log on a small disk. The default of DISK_RESERVE keeps twice as much free.
    max_wal_size: '256MB',
    // Checkpoint messages would fill the log of an idle archive.
    log_checkpoints: 'off',
    ...settings,
  };
  const log = logPath(join(cluster, '..'));
  // Rotates a large log at start and keeps one previous log.
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(log, `${log}.old`);
  const out = openSync(log, 'a', 0o600);
  // Detached, so that Ctrl-C reaches only this process and requests in flight can finish before the database stops.
  const child = spawn(
    postgres,
    ['-D', cluster, ...Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    {
      cwd: cluster,
      detached: true,
      stdio: ['ignore', out, out],
      env: { LC_ALL: 'C', PATH: process.env['PATH'], TZ: 'UTC' },
      ...asUser(user),
    },
  );
  closeSync(out);
  child.on('error', () => undefined);
  child.unref();
  return child;
}

const logPath = (dataDir: string): string => join(dataDir, 'postgres.log');

function startFailureMessage(dataDir: string): string {
  const log = logPath(dataDir);
  const last = readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n');
  return `The embedded PostgreSQL does not start. Last lines of ${log}:\n${last}`;
}

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

function serverPid(cluster: string): number | null {
  try {
    return Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10);
  } catch (error) {
    // A server that stops removes the file at any time.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Requests PostgreSQL's "fast" shutdown: open sessions end, committed data is safe.
 * @returns whether a server was running
 */
function stopFast(cluster: string): boolean {
  const pid = serverPid(cluster);
  if (pid === null) return false;
  try {
    return process.kill(pid, 'SIGINT');
  } catch {
    return false;
  }
}

async function stopServer(cluster: string): Promise<void> {
  if (!stopFast(cluster)) return;
  const deadline = performance.now() + startTimeoutMs;
  // The server removes its pid file last. Its process entry may exist longer.
  while (serverPid(cluster) !== null && performance.now() < deadline) await delay(20);
}
