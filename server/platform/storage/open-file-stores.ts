import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { createFileBucket } from './file-bucket.ts';
import { createFileFolder } from './file-folder.ts';
import type { FileStore } from './file-store.ts';
import { createObjectClient } from './object-client.ts';

/** Uploaded rosters until they are applied, and exports by staff for a day. */
export interface FileStores {
  readonly roster: FileStore;
  readonly exports: FileStore;
}

type Place = Pick<Config, 'objectStore' | 'dataDir' | 'diskReserveBytes'>;

export function openFileStores({ objectStore, dataDir, diskReserveBytes }: Place): FileStores {
  const client = objectStore && createObjectClient(objectStore);
  const open = (folder: string) =>
    client
      ? createFileBucket(client, `.${folder}`, dataDir, diskReserveBytes)
      : createFileFolder(join(dataDir, folder), diskReserveBytes);
  return { roster: open('roster'), exports: open('exports') };
}

/** Deletes what was in the data folder before `MEDIA_URL` was set: no job finds these files any more. */
export async function deleteUnusedFiles({ objectStore, dataDir }: Place): Promise<void> {
  if (!objectStore) return;
  for (const folder of ['roster', 'exports']) await rm(join(dataDir, folder), { recursive: true, force: true });
}
