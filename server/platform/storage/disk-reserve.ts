import { statfs } from 'node:fs/promises';
import type { Log } from '../log/log.ts';
import { ProblemError } from '../http/problem.ts';

/**
 * Returns the size of the disk that a folder is on, and how much of it we may still write, in bytes.
 * @throws Error of the file system
 */
export async function readDiskSpace(folder: string): Promise<{ freeBytes: number; totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/**
 * The system's and PostgreSQL's ways to say that something cannot be written: full, a quota that is used up, a file that may not
 * grow, switched to reading only, broken.
 */
const diskErrorCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', '53100', '58030']);

/** Whether the disk is why something failed. */
export const isDiskError = (error: unknown): boolean =>
  diskErrorCodes.has(String((error as { code?: unknown } | null)?.code));

/** What whoever sends a picture is told. */
const diskFullProblem = (cause: unknown) =>
  new ProblemError('insufficient-storage', {
    detail:
      'There is no room for pictures on this server just now. Everything else works, and what you have typed is kept.',
    cause,
  });

/** Runs work that writes to the disk. @throws ProblemError insufficient-storage where the disk refuses; what else the work throws */
export const convertDiskErrors = <Result>(work: () => Promise<Result>): Promise<Result> =>
  work().catch((error: unknown) => {
    throw isDiskError(error) ? diskFullProblem(error) : error;
  });

/**
 * Keeps the last part of a disk free for the database: while that can write, text can be saved, and nobody is locked out.
 * @param reserveBytes bytes
 * @throws ProblemError insufficient-storage where less is free
 */
export async function requireDiskReserve(folder: string, reserveBytes: number): Promise<void> {
  const { freeBytes } = await convertDiskErrors(() => readDiskSpace(folder));
  if (freeBytes < reserveBytes) throw diskFullProblem(new Error(belowReserve(folder, freeBytes, reserveBytes)));
}

/** Formats bytes for the operator, such as `1.5 MB`. */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Returns a sentence about a disk on which too little is free. */
export const belowReserve = (folder: string, free: number, reserve: number): string =>
  `${megabytes(free)} are free in ${folder}, and ${megabytes(reserve)} are kept free for the database (DISK_RESERVE).`;

/** Milliseconds after which the operator is told once more. */
const logIntervalMs = 60 * 60 * 1000;

let lastLoggedAtMs = -Infinity;

/** Tells the operator what to do, once an hour, however many are refused. */
export function logDiskError(log: Log, error: unknown): void {
  if (performance.now() - lastLoggedAtMs < logIntervalMs) return;
  lastLoggedAtMs = performance.now();
  log.error(
    { err: error },
    'the disk is full, or does not take what is written: pictures are refused, and soon nothing can be saved. Delete what is not needed on the disk of DATA_DIR, or make it larger; there is nothing to restart',
  );
}
