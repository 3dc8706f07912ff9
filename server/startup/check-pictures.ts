import { existsSync } from 'node:fs';
import type { Context } from '#server/domain/context.ts';
import { ConfigError } from '#server/platform/config/config-error.ts';
import type { Log } from '#server/platform/log/log.ts';
import { createFolderStore } from '#server/platform/media/folder-store.ts';
import { mediaFolder } from '#server/platform/media/open-picture-store.ts';

/**
 * Checks the object store of MEDIA_URL. If it does not respond, logs an error and continues, because everything except pictures works.
 * @throws ConfigError if the settings are wrong, or the pictures are still in the data folder
 */
export async function checkPictures({ config, media: { store } }: Context, log: Log): Promise<void> {
  if (!config.objectStore) return;
  const hasPictures = await store.check().catch((error: unknown) => {
    if (error instanceof ConfigError) throw error;
    log.error(
      { err: error },
      'The object store of MEDIA_URL is unavailable. Picture requests get 503 until it recovers. To find the cause, run: npm run archive -- doctor',
    );
    return true;
  });
  const folder = mediaFolder(config.dataDir);
  if (!hasPictures && existsSync(folder) && (await createFolderStore(folder, 0).check()))
    throw new ConfigError(
      `${store.location} has no pictures, but ${folder} does. Unset MEDIA_URL and run "npm run archive -- media copy --to URL" with its value, or delete the folder.`,
    );
}
