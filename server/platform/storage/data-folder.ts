import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * The system user that runs the embedded PostgreSQL when the server runs as root. PostgreSQL refuses to run as root.
 */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

interface DataFolder {
  readonly path: string;
  /** The user that runs the embedded PostgreSQL. Null when it is the current user. */
  readonly postgresUser: SystemUser | null;
  readonly movedReason: string | null;
}

export const hasDatabase = (dataDir: string): boolean => existsSync(join(dataDir, 'postgres', 'PG_VERSION'));

const systemDataRoot = '/var/lib/campus-alumni-archive';

/**
 * Chooses the data folder of this installation and creates it. This is the requested folder, with one exception: when
 * the server runs as root and user `nobody` cannot reach that folder, such as in a home directory of mode 0700. Then
 * the data folder is under /var/lib, and stays there even if the mode changes later.
 * @throws Error when the requested folder contains a database that `nobody` cannot reach
 */
export function openDataFolder(requestedPath: string): DataFolder {
  if (process.getuid?.() !== 0) return createDataFolder(requestedPath);
  const postgresUser = findNobody();
  const systemPath = join(
    systemDataRoot,
    `${basename(dirname(requestedPath))}-${createHash('sha256').update(requestedPath).digest('hex').slice(0, 8)}`,
  );
  if (!hasDatabase(systemPath)) {
    // Mode 0711: PostgreSQL can reach its subfolder, but other users cannot list the folder.
    createFolder(requestedPath, 0o711);
    if (canReach(postgresUser, requestedPath)) return { path: requestedPath, postgresUser, movedReason: null };
    if (hasDatabase(requestedPath)) {
      throw new Error(
        `PostgreSQL runs as user ${postgresUser.name}, who can no longer reach the data in ${requestedPath}. ` +
          'Make the parent folders accessible again (chmod o+x), or move the data and set DATA_DIR.',
      );
    }
  }
  createFolder(systemPath, 0o711);
  return { path: systemPath, postgresUser, movedReason: `user ${postgresUser.name} cannot reach ${requestedPath}` };
}

/** Creates a data folder for pictures, secrets and the outbox. No other system user can access it. */
export function createDataFolder(path: string): DataFolder {
  createFolder(path, 0o700);
  return { path, postgresUser: null, movedReason: null };
}

function createFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { recursive: true, mode });
  } catch (error) {
    throw new Error(
      `The data folder ${path} cannot be created (${(error as NodeJS.ErrnoException).code}). Create it for the user that runs the server, or set DATA_DIR.`,
      { cause: error },
    );
  }
}

/** Returns the path of the file that marks a restore as running. The file remains when the restore is interrupted. */
export const restoreMarkerPath = (dataDir: string): string => join(dataDir, 'restore.unfinished');

const interruptedRestoreAdvice =
  'A restore was interrupted before it was complete. Run it again: npm run archive -- restore FILE --replace';

/**
 * Checks that no restore was interrupted, because the data may then be a mix of two archives.
 * @throws Error with instructions
 */
export function requireFinishedRestore(dataDir: string): void {
  if (existsSync(restoreMarkerPath(dataDir))) throw new Error(interruptedRestoreAdvice);
}

/** Tested in a child process, because modes, ACLs and mount options all matter. */
function canReach(user: SystemUser, folder: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { cwd: '/', stdio: 'ignore', ...asUser(user) }).status === 0;
}

export const asUser = (user: SystemUser | null) => (user ? { uid: user.uid, gid: user.gid } : {});

function findNobody(): SystemUser {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (!uid || !gid)
    throw new Error(
      'PostgreSQL cannot run as root, and there is no user "nobody". Start the server as another user, or set DATABASE_URL.',
    );
  return { name: 'nobody', uid: Number(uid), gid: Number(gid) };
}
