import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cleanUpPictures } from '#server/domain/people/clean-up-pictures.ts';
import { journalPath, mergeJournal } from '#server/domain/accounts/deletion-journal.ts';
import { installationKeyPath } from '#server/platform/crypto/installation-key.ts';
import type { Context } from '#server/domain/context.ts';
import { entryNames } from './manifest.ts';

interface StagedFiles {
  readonly add: (name: string, content: AsyncIterable<Buffer>) => Promise<void>;
  /**
   * Moves the pictures into the media folder, beside existing ones. Their URLs are unknown until the rows are restored.
   */
  placePictures(): Promise<void>;
  /**
   * Moves the keys into the data folder and overwrites existing ones. Keeps an existing deletion journal with entries,
   * together with its key.
   * @returns false if the backup's journal uses another key, so that its entries were ignored
   */
  placeKeys(): Promise<boolean>;
  cleanUp(): Promise<void>;
}

/** Creates empty staging folders. Deletes files that an interrupted restore left there. */
export async function stageFiles(context: Context): Promise<StagedFiles> {
  const { media } = context;
  const { dataDir } = context.config;
  // The staging folder is on the same disk as the target folder, so that `rename` works.
  const pictures = join(media.folder, '.restoring');
  const keys = join(dataDir, 'keys.restoring');
  const clear = async () => {
    for (const folder of [pictures, keys]) await rm(folder, { recursive: true, force: true });
  };
  await clear();
  for (const folder of [pictures, keys]) await mkdir(folder, { mode: 0o700 });
  const keyPaths: string[] = [];
  return {
    add: async (name, content) => {
      const picture = entryNames.media.exec(name)?.groups;
      const key = entryNames.key.exec(name)?.groups;
      if (key) keyPaths.push(key['path'] ?? '');
      const path = picture
        ? join(pictures, picture['picture'] ?? '', picture['file'] ?? '')
        : join(keys, key?.['path'] ?? '');
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, content, { flag: 'wx', mode: 0o600, flush: key !== undefined });
    },
    placePictures: async () => {
      for (const name of await readdir(pictures)) {
        await media.moveToTrash(name);
        await rename(join(pictures, name), join(media.folder, name));
      }
    },
    placeKeys: async () => {
      const outcome = await mergeJournal(keys, dataDir);
      const kept = outcome === 'adopt' ? [] : [installationKeyPath, journalPath].map((pathIn) => pathIn(dataDir));
      for (const path of keyPaths) {
        if (kept.includes(join(dataDir, path))) continue;
        await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 });
        await rename(join(keys, path), join(dataDir, path));
      }
      return outcome !== 'foreign';
    },
    cleanUp: async () => {
      // A negative age also includes new files whose time is in the future because of a wrong clock.
      await cleanUpPictures(context, { isForced: true, minAgeMs: -dayMs });
      await clear();
    },
  };
}

const dayMs = 24 * 60 * 60 * 1000;
