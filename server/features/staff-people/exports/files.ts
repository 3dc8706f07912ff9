import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { once } from 'node:events';
import { convertDiskErrors, requireDiskReserve } from '#server/platform/storage/disk-reserve.ts';
import { nullIfMissing } from '#server/platform/storage/files.ts';

const folderOf = (dataDir: string): string => join(dataDir, 'exports');
const pathOf = (dataDir: string, id: string): string => join(folderOf(dataDir), `${id}.csv`);

/** The file has mode 0600. A crash leaves no incomplete file under its name. */
export async function writeExportFile(
  { dataDir, diskReserveBytes }: { readonly dataDir: string; readonly diskReserveBytes: number },
  id: string,
  parts: AsyncIterable<string>,
): Promise<void> {
  const folder = folderOf(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await requireDiskReserve(folder, diskReserveBytes);
  const tempPath = join(folder, `${id}.unfinished`);
  try {
    await convertDiskErrors(async () => {
      const file = await open(tempPath, 'w', 0o600);
      try {
        for await (const part of parts) await file.appendFile(part);
        await file.sync();
      } finally {
        await file.close();
      }
    });
    await rename(tempPath, pathOf(dataDir, id));
  } catch (error) {
    await rm(tempPath, { force: true });
    throw error;
  }
}

export async function openExportFile(dataDir: string, id: string): Promise<Readable | null> {
  const stream = createReadStream(pathOf(dataDir, id));
  return once(stream, 'open')
    .then(() => stream)
    .catch(nullIfMissing);
}

export async function deleteOtherExportFiles(dataDir: string, keptIds: ReadonlySet<string>): Promise<void> {
  for (const name of (await readdir(folderOf(dataDir)).catch(nullIfMissing)) ?? [])
    if (!keptIds.has(name.split('.')[0] ?? '')) await rm(join(folderOf(dataDir), name), { force: true });
}
