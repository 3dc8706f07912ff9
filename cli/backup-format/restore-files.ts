import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cleanUpPictures } from '#server/domain/clean-up-pictures.ts';
import { journalPath, mergeJournal } from '#server/domain/deletion-journal.ts';
import { installationKeyPath } from '#server/platform/crypto/installation-key.ts';
import type { Context } from '#server/domain/context.ts';
import { entryNames } from './manifest.ts';

/** The files of a backup, laid beside their places until the rows are there as well. */
export interface RestoredFiles {
  /** Takes a picture or a key. */
  readonly add: (name: string, content: AsyncIterable<Buffer>) => Promise<void>;
  /** Puts the pictures into their places, among those that are there: nobody knows their addresses without the rows. */
  placePictures(): Promise<void>;
  /**
   * Moves the keys into the data folder, over those that are there. A deletion journal that has entries stays, and so does its key.
   * @returns false when the backup's journal was made with another key, so that its entries cannot be used
   */
  placeKeys(): Promise<boolean>;
  /** Takes away pictures that no row names, and what was not put into its place. */
  tidy(): Promise<void>;
}

/** Begins with nothing beside: what a restore that was cut short has left goes first. */
export async function layFilesBeside(context: Context): Promise<RestoredFiles> {
  const { media } = context;
  const { dataDir } = context.config;
  // Each on the disk of its place, so that it can be moved there at once.
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
    tidy: async () => {
      // The files have just been made, perhaps by a clock that is ahead.
      await cleanUpPictures(context, { isForced: true, minAgeMs: -dayMs });
      await clear();
    },
  };
}

const dayMs = 24 * 60 * 60 * 1000;
