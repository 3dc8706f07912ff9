import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type SystemUser, asUser } from '../storage/data-folder.ts';
import type { Binaries } from './binaries.ts';

const maxLogBytes = 10_000_000;
const stopTimeoutMs = 20_000;

export const hasEnded = ({ exitCode, signalCode, pid }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null || pid === undefined;

interface Launch {
  readonly user: SystemUser | null;
  readonly settings: Readonly<Record<string, string>>;
  readonly binaries: Binaries;
  readonly cluster: string;
  readonly socketDir: string;
}

export function launch({ binaries: { postgres }, cluster, socketDir, user, settings }: Launch): ChildProcess {
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

export function startFailureMessage(dataDir: string): string {
  const log = logPath(dataDir);
  const last = readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n');
  return `The embedded PostgreSQL does not start. Last lines of ${log}:\n${last}`;
}

export function serverPid(cluster: string): number | null {
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
export function stopFast(cluster: string): boolean {
  const pid = serverPid(cluster);
  if (pid === null) return false;
  try {
    return process.kill(pid, 'SIGINT');
  } catch {
    return false;
  }
}

export async function stopServer(cluster: string): Promise<void> {
  if (!stopFast(cluster)) return;
  const deadline = performance.now() + stopTimeoutMs;
  // The server removes its pid file last. Its process entry may exist longer.
  while (serverPid(cluster) !== null && performance.now() < deadline) await delay(20);
}
