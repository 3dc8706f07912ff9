import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJson, writeFileAtomically } from '../platform/storage/files.ts';

/** The number of pictures that are old enough to be deleted (`all`), and how many of them nothing uses (`unused`). */
const UnusedPictures = z.object({ unused: z.number(), all: z.number() });
export type UnusedPictures = z.infer<typeof UnusedPictures>;

/** Returns the path of the record. It is not in the database, which may be the wrong one. */
const recordPath = (dataDir: string): string => join(dataDir, 'refused-clean-up.json');

/** Returns what the last clean-up of pictures refused to delete; null if it refused nothing. */
export const readRefusedCleanUp = (dataDir: string): Promise<UnusedPictures | null> =>
  readJson(recordPath(dataDir), UnusedPictures);

/** Records what a clean-up refused to delete, for doctor and `/metrics`. Null deletes the record. */
export async function recordRefusedCleanUp(dataDir: string, refused: UnusedPictures | null): Promise<void> {
  if (refused) await writeFileAtomically(recordPath(dataDir), `${JSON.stringify(refused)}\n`);
  else await rm(recordPath(dataDir), { force: true });
}

/** Returns a message for the operator: why nothing was deleted, and what to do. */
export const describeRefusal = ({ unused, all }: UnusedPictures): string =>
  `${unused} of ${all} pictures in the media folder are not used by any profile or photo, and none was deleted. ` +
  'Check that DATABASE_URL is right and that the database is complete. To delete the pictures, run: npm run archive -- pictures clean-up --force';
