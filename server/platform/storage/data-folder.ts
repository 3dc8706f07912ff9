import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The system user that runs the embedded PostgreSQL when we are root: it refuses to run as root itself. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export interface DataFolder {
  /** Where database, media, secrets and outbox are. */
  readonly path: string;
  /** Null when PostgreSQL runs as whoever we are. */
  readonly postgresUser: SystemUser | null;
  /** Why it is not the folder that was asked for; null when it is. */
  readonly movedReason: string | null;
}

/** Whether the embedded PostgreSQL has made its database in a data folder. */
export const hasDatabase = (dataDir: string): boolean => existsSync(join(dataDir, 'postgres', 'PG_VERSION'));

const systemDataRoot = '/var/lib/campus-alumni-archive';

/**
 * Decides where the data of this installation live, and makes the folder. An ordinary user gets what was asked for. Root
 * gets it too, unless user `nobody` cannot reach it (a home of mode 0700): then the data live under /var/lib, and go on
 * living there, whatever later becomes of the modes.
 * @throws Error with a sentence when data are there already but out of reach
 */
export function openDataFolder(requestedPath: string): DataFolder {
  if (process.getuid?.() !== 0) return createDataFolder(requestedPath);
  const postgresUser = findNobody();
  const systemPath = join(
    systemDataRoot,
    `${basename(dirname(requestedPath))}-${createHash('sha256').update(requestedPath).digest('hex').slice(0, 8)}`,
  );
  if (!hasDatabase(systemPath)) {
    // Others may pass through to the folder of the database, but not look around.
    createFolder(requestedPath, 0o711);
    if (canReach(postgresUser, requestedPath)) return { path: requestedPath, postgresUser, movedReason: null };
    if (hasDatabase(requestedPath)) {
      throw new Error(
        `The data in ${requestedPath} can no longer be reached by user ${postgresUser.name}, as whom PostgreSQL runs. ` +
          'Open the folders above it again (chmod o+x), or set DATA_DIR to where you have moved it.',
      );
    }
  }
  createFolder(systemPath, 0o711);
  return { path: systemPath, postgresUser, movedReason: `user ${postgresUser.name} cannot reach ${requestedPath}` };
}

/** The folder that was asked for, for pictures, secrets and outbox: no other system user has to reach it. */
export function createDataFolder(path: string): DataFolder {
  createFolder(path, 0o700);
  return { path, postgresUser: null, movedReason: null };
}

function createFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { recursive: true, mode });
  } catch (error) {
    throw new Error(
      `The data folder ${path} cannot be made (${(error as NodeJS.ErrnoException).code}). Make it, and give it to the user that runs the product, or set DATA_DIR.`,
      { cause: error },
    );
  }
}

/** There while a restore lets database, pictures and keys change places; it stays when that is cut short. */
export const restoreMarkerPath = (dataDir: string): string => join(dataDir, 'restore.unfinished');

/** What to do then. */
export const interruptedRestoreAdvice =
  'A restore was cut short, and its last steps are missing. Run it once more: npm run archive -- restore FILE --replace';

/** @throws Error with a sentence when a restore was cut short in its last moments: the data may be of two archives */
export function requireFinishedRestore(dataDir: string): void {
  if (existsSync(restoreMarkerPath(dataDir))) throw new Error(interruptedRestoreAdvice);
}

/** Whether `user` can enter `folder`: asked of the system itself, which knows of modes, lists and mounts. */
function canReach(user: SystemUser, folder: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { cwd: '/', stdio: 'ignore', ...asUser(user) }).status === 0;
}

/** Returns the options with which a child process runs as this user. */
export const asUser = (user: SystemUser | null) => (user ? { uid: user.uid, gid: user.gid } : {});

function findNobody(): SystemUser {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (!uid || !gid)
    throw new Error('There is no user "nobody" to run PostgreSQL as. Start as an ordinary user, or set DATABASE_URL.');
  return { name: 'nobody', uid: Number(uid), gid: Number(gid) };
}
