import { belowReserve, readDiskSpace, formatMegabytes } from '#server/platform/storage/disk-reserve.ts';
import { Failure } from './command.ts';

const checkIntervalBytes = 16 * 1024 * 1024;

/**
 * Creates a guard that keeps a reserve of the disk free during large writes. The database may be on the same disk and
 * cannot save data when the disk is full.
 * @param reserveBytes DISK_RESERVE
 * @param advice what was not done, and what to do
 * @returns a function to call before bytes are written, which throws a Failure when less than the reserve is free
 */
export function guardDiskReserve(
  folder: string,
  reserveBytes: number,
  advice: string,
  readSpace: (folder: string) => Promise<{ freeBytes: number }> = readDiskSpace,
): (bytes: number) => Promise<void> {
  let uncheckedBytes = checkIntervalBytes;
  return async (bytes) => {
    uncheckedBytes += bytes;
    if (uncheckedBytes < checkIntervalBytes) return;
    uncheckedBytes = 0;
    const { freeBytes } = await readSpace(folder);
    if (freeBytes < reserveBytes) throw new Failure(`${belowReserve(folder, freeBytes, reserveBytes)} ${advice}`);
  };
}

/** Returns a sentence with the free disk space. @throws Failure when the reserve would not stay free */
export async function requireDiskSpace(
  folder: string,
  bytes: number,
  reserveBytes: number,
  advice: string,
): Promise<string> {
  const { freeBytes } = await readDiskSpace(folder);
  if (freeBytes - bytes < reserveBytes) throw new Failure(`${belowReserve(folder, freeBytes, reserveBytes)} ${advice}`);
  return `Enough disk space: ${formatMegabytes(freeBytes)} free in ${folder}.`;
}
