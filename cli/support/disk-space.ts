import { belowReserve, readDiskSpace, megabytes } from '#server/platform/storage/disk-reserve.ts';
import { Failure } from './command.ts';

/** Bytes after which a disk is asked again. */
const stride = 16 * 1024 * 1024;

/**
 * Keeps the last part of a disk free while something large is written there: the database may be on the same one, and saves
 * nothing on a full disk.
 * @param reserve bytes (DISK_RESERVE)
 * @param advice what was not done, and what to do
 * @returns to be called before so many bytes are written @throws Failure when less than the reserve is free
 */
export function keepRoom(
  folder: string,
  reserve: number,
  advice: string,
  ask: (folder: string) => Promise<{ freeBytes: number }> = readDiskSpace,
): (bytes: number) => Promise<void> {
  let unasked = stride;
  return async (bytes) => {
    unasked += bytes;
    if (unasked < stride) return;
    unasked = 0;
    const { freeBytes } = await ask(folder);
    if (freeBytes < reserve) throw new Failure(`${belowReserve(folder, freeBytes, reserve)} ${advice}`);
  };
}

/** Says whether there is room for so many bytes. @throws Failure when there is not */
export async function requireRoom(folder: string, bytes: number, reserve: number, advice: string): Promise<string> {
  const { freeBytes } = await readDiskSpace(folder);
  if (freeBytes - bytes < reserve) throw new Failure(`${belowReserve(folder, freeBytes, reserve)} ${advice}`);
  return `There is room: ${megabytes(freeBytes)} are free in ${folder}.`;
}
