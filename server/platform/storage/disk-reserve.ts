import { statfs } from 'node:fs/promises';
import type { Log } from '../log/log.ts';
import { ProblemError } from '../http/problem.ts';

/**
 * Returns the size of a folder's disk, and the free space that this process may use.
 * @throws Error of the file system
 */
export async function readDiskSpace(folder: string): Promise<{ freeBytes: number; totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** Error codes of the file system and of PostgreSQL for a disk that is full, over quota, read-only or defective. */
const diskErrorCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', '53100', '58030']);

export const isDiskError = (error: unknown): boolean =>
  diskErrorCodes.has(String((error as { code?: unknown } | null)?.code));

const diskFullProblem = (cause: unknown) =>
  new ProblemError('insufficient-storage', {
    detail:
      'The server is out of disk space for pictures and other files. Everything else still works, and what you have typed is kept.',
    cause,
  });

/**
 * Runs work that writes to the disk.
 * @throws ProblemError insufficient-storage for disk errors; all other errors unchanged
 */
export const convertDiskErrors = <Result>(work: () => Promise<Result>): Promise<Result> =>
  work().catch((error: unknown) => {
    throw isDiskError(error) ? diskFullProblem(error) : error;
  });

/**
 * Checks that the reserved part of a disk is free. The database needs it: while it can write, users can save text and
 * sign in.
 * @throws ProblemError insufficient-storage when less than `reserveBytes` is free
 */
export async function requireDiskReserve(folder: string, reserveBytes: number): Promise<void> {
  const { freeBytes } = await convertDiskErrors(() => readDiskSpace(folder));
  if (freeBytes < reserveBytes) throw diskFullProblem(new Error(belowReserve(folder, freeBytes, reserveBytes)));
}

export const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export const belowReserve = (folder: string, free: number, reserve: number): string =>
  `${formatMegabytes(free)} are free in ${folder}, and ${formatMegabytes(reserve)} are kept free for the database (DISK_RESERVE).`;

const logIntervalMs = 60 * 60 * 1000;

let lastLoggedAtMs = -Infinity;

export function logDiskError(log: Log, error: unknown): void {
  if (performance.now() - lastLoggedAtMs < logIntervalMs) return;
  lastLoggedAtMs = performance.now();
  log.error(
    { err: error },
    'No space left on the disk of DATA_DIR, or it cannot be written: uploads are refused, and other writes may soon fail. Free or add disk space; no restart is needed',
  );
}
