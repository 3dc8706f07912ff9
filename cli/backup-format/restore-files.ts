import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { cleanUpPictures } from '#server/domain/people/clean-up-pictures.ts';
import { journalPath, mergeJournal } from '#server/domain/accounts/deletion-journal.ts';
import { installationKeyPath } from '#server/platform/crypto/installation-key.ts';
import { runConcurrently } from '#server/platform/limits/run-concurrently.ts';
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

/** Subfolder of the pictures in which a restore stages them. */
const stagingFolder = '.restoring';

/** Creates empty staging folders. Deletes files that an interrupted restore left there. */
export async function stageFiles(context: Context): Promise<StagedFiles> {
  const { media } = context;
  const { dataDir } = context.config;
  // On the same disk as the data folder, so that `rename` works.
  const keys = join(dataDir, 'keys.restoring');
  const clear = async () => {
    for (const { name } of await media.store.listNames(stagingFolder))
      await media.store.delete(`${stagingFolder}/${name}`);
    await rm(keys, { recursive: true, force: true });
  };
  await clear();
  await mkdir(keys, { mode: 0o700 });
  const keyPaths: string[] = [];
  // Not listed from the store, because lists of an object store may be eventually consistent.
  const names = new Set<string>();
  return {
    add: async (name, content) => {
      const picture = entryNames.media.exec(name)?.groups;
      const key = entryNames.key.exec(name)?.groups;
      if (key) keyPaths.push(key['path'] ?? '');
      if (picture) {
        const { picture: name = '', file = '' } = picture;
        names.add(name);
        return media.store.write(`${stagingFolder}/${name}`, new Map([[file, await buffer(content)]]), {
          isSynced: false,
        });
      }
      const path = join(keys, key?.['path'] ?? '');
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, content, { flag: 'wx', mode: 0o600, flush: true });
    },
    placePictures: () =>
      runConcurrently(names, async (name) => {
        await media.moveToTrash(name);
        await media.store.move(`${stagingFolder}/${name}`, name);
      }),
    placeKeys: async () => {
      const outcome = await mergeJournal(keys, context);
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
