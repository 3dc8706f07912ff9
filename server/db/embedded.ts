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
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type SystemUser, asUser, hasDatabase } from '../platform/storage/data-folder.ts';
import { openKeyFile } from '../platform/crypto/key-file.ts';
import type { Log } from '../platform/log/log.ts';
import { applicationPassword, applicationRole, databaseName, prepareDatabase } from './application-role.ts';
import { type Binaries, findBinaries } from './embedded-binaries.ts';

/** How to reach a running embedded server: over its Unix socket, which only its own system user can enter. */
export interface EmbeddedServer {
  readonly connection: pg.PoolConfig;
  /** How to connect as a superuser, for tests. The product connects as the application role. */
  readonly superuser: pg.PoolConfig;
  /** e.g. `18.4`. */
  readonly version: string;
  /** True when a server was still there from a start that had been killed. */
  readonly adopted: boolean;
  /** Settles, with the reason, when another start has taken the data folder while the database was away. */
  readonly lost: Promise<Error>;
  stop(): Promise<void>;
}

interface Options {
  /** The data folder; the database lives in its subfolder `postgres`. */
  readonly dataDir: string;
  readonly user: SystemUser | null;
  /** More settings of postgresql.conf, e.g. `{ fsync: 'off' }` for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Is told when the server has gone, cannot be brought back, and is back. */
  readonly log?: Pick<Log, 'info' | 'warn' | 'error'>;
}

/** The superuser that initdb makes. Only this file connects as it, to start, watch and prepare the server. */
const superuser = 'archive';
const startTimeoutMs = 20_000;
const maxLogBytes = 10_000_000;
/** Longest path of a Unix socket, in bytes, on Linux; macOS has 103. */
const longestSocketPath = 103;

/** Any number: it only has to be the same in every process that starts this product. */
const ownerLock = 7_246_183;

/** https://www.postgresql.org/docs/current/errcodes-appendix.html. A role that does not exist is a wrong password too. */
const [cannotConnectNow, invalidPassword] = ['57P03', '28P01'];

/**
 * Starts the PostgreSQL that the project brings, or adopts the one that a killed start left running. The first time it
 * makes the database cluster, about a second's work. A server that ends while nobody has asked it to is started again.
 * @throws Error with a sentence for the operator: in use by another start, wrong version, does not come up
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
  /** The last server process of ours. Another process may be the server all the same. */
  let launched: ChildProcess | null = null;

  /** Connects to the server and takes its ownership. Starts the server where none is running. */
  async function bringUp(): Promise<pg.Client> {
    const begun = performance.now();
    let deadline = begun + startTimeoutMs;
    let isTold = false;
    for (;;) {
      if (signal.aborted) throw new Error('The product is ending.');
      try {
        return await takeOwnership(base, cluster);
      } catch (error) {
        const { code } = error as { code?: string };
        if (error instanceof InUse) throw error;
        if (code === invalidPassword)
          throw new Error('The database refuses the password in secrets/postgres-password.', { cause: error });
        if (code === cannotConnectNow) {
          // Crash recovery can take minutes on a slow disk. A server that is shutting down answers the same.
          deadline = performance.now() + startTimeoutMs;
          if (!isTold && performance.now() - begun > 5_000) {
            log?.warn({}, 'the database puts its files in order after a hard end, which can take minutes');
            isTold = true;
          }
        } else if (performance.now() > deadline)
          throw launched ? new Error(whyNotStarted(dataDir), { cause: error }) : error;
        else if (!launched || hasEnded(launched)) {
          // A server that is shutting down still holds the lock file, and a new one exits at once.
          if (launched) await pause(250);
          launched = launch({ binaries, cluster, socketDir, user, settings });
        }
        await pause(20);
      }
    }
  }

  // Whatever ends this process without a `stop`, the database goes along.
  const onExit = () => void interrupt(cluster);
  const stop = async () => {
    process.off('exit', onExit);
    await stopServer(cluster);
    if (socketDir !== cluster) rmSync(socketDir, { recursive: true, force: true });
  };
  const isOurs = () => launched !== null && serverPid(cluster) === launched.pid;
  let owner: pg.Client;
  try {
    owner = await bringUp();
    process.once('exit', onExit);
    await prepareDatabase(owner, base);
  } catch (error) {
    if (isOurs()) await stop();
    throw error;
  }

  const lost = Promise.withResolvers<Error>();
  let hasLost = false;
  let reviving = Promise.resolve();
  const watch = (client: pg.Client) =>
    client.once('end', () => {
      if (!signal.aborted) reviving = revive();
    });
  async function revive(): Promise<void> {
    const since = performance.now();
    log?.error({}, 'the database has ended; it is started again');
    while (!signal.aborted) {
      try {
        owner = await bringUp();
        watch(owner);
        log?.info({ seconds: Math.round((performance.now() - since) / 1000) }, 'the database is back');
        return;
      } catch (error) {
        if (error instanceof InUse) {
          hasLost = true;
          process.off('exit', onExit);
          return lost.resolve(error);
        }
        log?.error({ err: error }, 'the database does not start; trying again');
        await pause(1_000, undefined, { signal }).catch(() => undefined);
      }
    }
  }
  watch(owner);

  return {
    connection: asApplication(base),
    superuser: { ...base, database: databaseName },
    version: binaries.version,
    adopted: !isOurs(),
    lost: lost.promise,
    // The lock ends with the server: whoever starts meanwhile waits, instead of taking over what is about to end.
    stop: async () => {
      ending.abort();
      await reviving;
      if (!hasLost) await stop();
      await owner.end().catch(() => undefined);
    },
  };
}

/** The data folder belongs to another start of the product. */
class InUse extends Error {
  override readonly name = 'InUse';
}

/**
 * Connects to the server that a running product has started, for a command beside it; its owner stops it.
 * @returns null when none is running
 */
export async function borrowEmbedded({
  dataDir,
  user,
}: Pick<Options, 'dataDir' | 'user'>): Promise<Pick<EmbeddedServer, 'connection' | 'superuser' | 'stop'> | null> {
  const cluster = join(dataDir, 'postgres');
  if (serverPid(cluster) === null) return null;
  const password = await readPassword(dataDir);
  const base = { host: socketFolder(dataDir, cluster, user), port: 5432, user: superuser, password };
  const connection = asApplication(base);
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if ((error as { code?: string }).code !== invalidPassword) return null;
    throw new Error('The database refuses the password in secrets/postgres-password.', { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
  return { connection, superuser: { ...base, database: databaseName }, stop: async () => undefined };
}

/** The same server, as the application role. */
const asApplication = (base: { host: string; port: number; password: string }) => ({
  ...base,
  user: applicationRole,
  password: applicationPassword(base.password),
  database: databaseName,
});

/** Reads the superuser's password, which the first start generates. It keeps other programs of user `nobody` out. */
async function readPassword(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const generate = async () => randomBytes(24).toString('base64url');
  return (await openKeyFile(join(folder, 'postgres-password'), generate)).trim();
}

/** Makes the cluster beside its place and moves it there when it is whole: a start that is cut short leaves nothing. */
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
  if (status !== 0) throw new Error(`The database could not be made in ${cluster}: ${error?.message ?? stderr.trim()}`);
  renameSync(unfinished, cluster);
}

function checkVersion(cluster: string, { major }: Binaries): void {
  const made = Number.parseInt(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'), 10);
  if (made !== major) {
    throw new Error(
      `The database in ${cluster} was made by PostgreSQL ${made}, but this version of the product brings ${major}. ` +
        'Go back to the version that made it, make a backup, and restore that here: docs/upgrading.md says how.',
    );
  }
}

/** The cluster's own folder, which is closed to others; a short one in the temporary folder when its path is too long. */
function socketFolder(dataDir: string, cluster: string, user: SystemUser | null): string {
  if (Buffer.byteLength(join(cluster, '.s.PGSQL.5432')) <= longestSocketPath) return cluster;
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

/** In a folder that everybody can write to, a name alone says nothing: it has to be a real folder, ours, and shut. */
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

/** Starts the server process. Its output goes to `postgres.log` in the data folder. */
function launch({ binaries: { postgres }, cluster, socketDir, user, settings }: Launch): ChildProcess {
  const all = {
    listen_addresses: '',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    max_connections: '40',
    // What stands behind a message has people in it: the refused row, the statement.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_timezone: 'UTC',
    timezone: 'UTC',
    // Short queries only: compiling them costs more than it saves.
    jit: 'off',
    // How much it may take of a small disk before it gives room back; DISK_RESERVE keeps twice as much free.
    max_wal_size: '256MB',
    // With checkpoints in it, the log of a quiet archive would have nothing else.
    log_checkpoints: 'off',
    ...settings,
  };
  const log = logPath(join(cluster, '..'));
  // A log that has grown long makes room for a new one at a start; the one before it is kept.
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(log, `${log}.old`);
  const out = openSync(log, 'a', 0o600);
  // Detached, so that Ctrl-C reaches us alone and requests under way can end before the database does.
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

function whyNotStarted(dataDir: string): string {
  const log = logPath(dataDir);
  const last = readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n');
  return `The embedded PostgreSQL does not start. The end of ${log} says:\n${last}`;
}

/**
 * Holds a lock in the database as long as we live, so that a second start in the same data folder is refused.
 * @throws InUse; DatabaseError where the server refuses the connection; Error where there is no server
 */
async function takeOwnership(base: pg.ClientConfig, cluster: string): Promise<pg.Client> {
  // A server in trouble may let us in and then say nothing: nobody must wait for that for ever.
  const timeouts = { connectionTimeoutMillis: 5_000, query_timeout: 2 * startTimeoutMs };
  const client = new pg.Client({ ...base, ...timeouts, database: 'postgres', keepAlive: true });
  client.on('error', () => undefined);
  try {
    await client.connect();
    // A start that was just killed, or that is just ending, still holds it for a moment.
    for (let attempt = 0; attempt < 40; attempt++) {
      const { rows } = await client.query<{ ours: boolean }>('select pg_try_advisory_lock($1) as ours', [ownerLock]);
      if (rows[0]?.ours) return client;
      await pause(100);
    }
    throw new InUse(
      `Another start of this product is using the data in ${cluster}. End that one first, or set another DATA_DIR.`,
    );
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
}

/** The process that serves the cluster, or null. */
function serverPid(cluster: string): number | null {
  const pidFile = join(cluster, 'postmaster.pid');
  return existsSync(pidFile) ? Number.parseInt(readFileSync(pidFile, 'utf8'), 10) : null;
}

/** PostgreSQL's "fast" stop: sessions end, what is committed is safe. @returns whether there was anything to stop */
function interrupt(cluster: string): boolean {
  const pid = serverPid(cluster);
  if (pid === null) return false;
  try {
    return process.kill(pid, 'SIGINT');
  } catch {
    return false;
  }
}

/** Stops the server and waits for it, one that we adopted as well. */
async function stopServer(cluster: string): Promise<void> {
  if (!interrupt(cluster)) return;
  const deadline = performance.now() + startTimeoutMs;
  // The server removes the file as its last act; its process entry may stay longer.
  while (serverPid(cluster) !== null && performance.now() < deadline) await pause(20);
}
