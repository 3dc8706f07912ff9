import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { convertDiskErrors, requireDiskReserve } from './disk-reserve.ts';
import type { FileStore } from './file-store.ts';
import { nullIfMissing } from './files.ts';

const unfinished = '.unfinished';

/** Milliseconds without a write after which a file counts as interrupted. */
const interruptedAfterMs = 60 * 60 * 1000;

/** @param reserveBytes disk space that new files must leave free */
export function createFileFolder(folder: string, reserveBytes: number): FileStore {
  const pathOf = (name: string) => join(folder, name);
  const isBeingWritten = async (name: string) =>
    name.endsWith(unfinished) &&
    Date.now() - ((await stat(pathOf(name)).catch(nullIfMissing))?.mtimeMs ?? 0) < interruptedAfterMs;
  const remove = (name: string) => rm(pathOf(name), { force: true });

  return {
    write: async (content, chooseName) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await requireDiskReserve(folder, reserveBytes);
      const temporary = `${randomUUID()}${unfinished}`;
      try {
        await convertDiskErrors(async () => {
          await using file = await open(pathOf(temporary), 'wx', 0o600);
          await file.writeFile(content);
          await file.sync();
        });
        await rename(pathOf(temporary), pathOf(await chooseName()));
      } catch (error) {
        await remove(temporary);
        throw error;
      }
    },
    open: (name) => {
      const stream = createReadStream(pathOf(name));
      return once(stream, 'open')
        .then(() => stream)
        .catch(nullIfMissing);
    },
    openLocally: (name) =>
      access(pathOf(name))
        .then(() => ({ path: pathOf(name), [Symbol.asyncDispose]: async () => undefined }))
        .catch(nullIfMissing),
    delete: remove,
    deleteOthers: async (isKept) => {
      for (const name of (await readdir(folder).catch(nullIfMissing)) ?? [])
        if (!isKept(name) && !(await isBeingWritten(name))) await remove(name);
    },
  };
}
