import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from '#server/domain/context.ts';
import { convertDiskErrors, requireDiskReserve } from '#server/platform/storage/disk-reserve.ts';
import { nullIfMissing } from '#server/platform/storage/files.ts';

const folderOf = (dataDir: string): string => join(dataDir, 'roster');

export const rosterFilePath = (dataDir: string, importId: number): string =>
  join(folderOf(dataDir), `${importId}.upload`);

export const deleteRosterFile = (dataDir: string, importId: number): Promise<void> =>
  rm(rosterFilePath(dataDir, importId), { force: true });

const unfinished = '.unfinished';

/** Milliseconds without a write after which an upload counts as interrupted. */
const interruptedAfterMs = 24 * 60 * 60 * 1000;

/** Keeps uploads that are still arriving. @param openId the import whose file is kept; null to keep none */
export async function deleteOtherFiles(dataDir: string, openId: number | null): Promise<void> {
  const isArriving = async (path: string) =>
    path.endsWith(unfinished) &&
    Date.now() - ((await stat(path).catch(nullIfMissing))?.mtimeMs ?? 0) < interruptedAfterMs;
  for (const name of (await readdir(folderOf(dataDir)).catch(nullIfMissing)) ?? []) {
    const path = join(folderOf(dataDir), name);
    if (name !== `${openId}.upload` && !(await isArriving(path))) await rm(path, { force: true });
  }
}

/**
 * @param record records the import with the SHA-256 of the file, and returns its id
 * @returns the id
 * @throws ProblemError insufficient-storage
 */
export async function storeRosterFile(
  { config: { dataDir, diskReserveBytes } }: Context,
  content: Readable,
  record: (digest: Buffer) => Promise<number>,
): Promise<number> {
  const folder = folderOf(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await requireDiskReserve(folder, diskReserveBytes);
  const tempPath = join(folder, `${randomUUID()}${unfinished}`);
  const digest = createHash('sha256');
  try {
    // Opened here, because a stream that fails early could still create the file after its deletion below.
    const file = await convertDiskErrors(() => open(tempPath, 'wx', 0o600));
    await convertDiskErrors(() =>
      pipeline(
        content,
        async function* addToDigest(chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            digest.update(chunk);
            yield chunk;
          }
        },
        file.createWriteStream({ flush: true }),
      ),
    );
    const id = await record(digest.digest());
    await rename(tempPath, rosterFilePath(dataDir, id));
    return id;
  } catch (error) {
    await rm(tempPath, { force: true });
    throw error;
  }
}
