import { mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { convertDiskErrors, requireDiskReserve } from '../storage/disk-reserve.ts';
import { nullIfMissing, syncFolder } from '../storage/files.ts';
import type { PictureStore } from './picture-store.ts';

/** @param reserveBytes disk space that new pictures must leave free */
export function createFolderStore(folder: string, reserveBytes: number): PictureStore {
  const makeFolder = (path: string) => mkdir(path, { recursive: true, mode: 0o700 });
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  async function write(name: string, files: ReadonlyMap<string, Buffer>, { isSynced } = { isSynced: true }) {
    const path = join(folder, name);
    await convertDiskErrors(async () => {
      await makeFolder(path);
      for (const [file, content] of files) await writeFile(join(path, file), content, { mode: 0o600, flush: isSynced });
      if (!isSynced) return;
      await syncFolder(path);
      await syncFolder(dirname(path));
    });
  }

  async function listFiles(name: string) {
    const files = ((await readdir(join(folder, name)).catch(nullIfMissing)) ?? []).toSorted();
    return Promise.all(files.map(async (file) => ({ name: file, bytes: (await stat(join(folder, name, file))).size })));
  }

  return {
    location: folder,
    check: async () => (await readdir(folder)).some((name) => !name.startsWith('.')),
    requireSpace: () => requireDiskReserve(folder, reserveBytes),
    write,
    read: (name, file) => readFile(join(folder, name, file)).catch(nullIfMissing),
    listFiles,
    copy: async (name, to) => {
      const files = new Map<string, Buffer>();
      for (const { name: file } of await listFiles(name)) files.set(file, await readFile(join(folder, name, file)));
      if (files.size > 0) await write(to, files);
      return files.size > 0;
    },
    move: async (name, to) => {
      const [path, target] = [join(folder, name), join(folder, to)];
      await makeFolder(dirname(target));
      try {
        await rename(path, target);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') return false;
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
        // After a restore, the trash may already contain this picture. A name has only one content.
        await rm(path, { recursive: true, force: true });
      }
      await syncFolder(dirname(target));
      return true;
    },
    delete: (name) => rm(join(folder, name), { recursive: true, force: true }),
    listNames: async (subfolder = '') => {
      const names = (await readdir(join(folder, subfolder)).catch(nullIfMissing)) ?? [];
      const found = names
        .filter((name) => !name.startsWith('.'))
        .map(async (name) => {
          const stats = await stat(join(folder, subfolder, name)).catch(nullIfMissing);
          return stats ? [{ name, writtenAt: stats.mtime }] : [];
        });
      return (await Promise.all(found)).flat();
    },
  };
}
