import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeyFile } from '../crypto/key-file.ts';
import { type SystemUser, asUser } from '../storage/data-folder.ts';
import type { Binaries } from './binaries.ts';

/** The superuser that initdb creates. Only `server.ts` connects as superuser, to start, watch and prepare the server. */
export const superuser = 'archive';

/** Maximum length of a Unix socket path: 107 on Linux, 103 on macOS. */
const maxSocketPathBytes = 103;

/**
 * Reads the superuser's password; the first start generates it. The password protects the database from other programs
 * that run as user `nobody`.
 */
export async function readPassword(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const generate = async () => randomBytes(24).toString('base64url');
  return (await openKeyFile(join(folder, 'postgres-password'), generate)).trim();
}

/**
 * Creates the cluster in a temporary folder and renames it when complete, so that an interrupted start leaves no
 * partial cluster.
 */
export function makeCluster({ initdb }: Binaries, cluster: string, password: string, user: SystemUser | null): void {
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

export function checkVersion(cluster: string, { major }: Binaries): void {
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
export function openSocketFolder(dataDir: string, cluster: string, user: SystemUser | null): string {
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
