import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJson, writeFileAtomically } from '#server/platform/storage/files.ts';

/**
 * The number of pictures that are old enough to be deleted (`all`), and the number of unused ones among them
 * (`unused`).
 */
const UnusedPictures = z.object({ unused: z.number(), all: z.number() });
export type UnusedPictures = z.infer<typeof UnusedPictures>;

/** Returns the path of the record. The record is not in the database, which may be the wrong one. */
const recordPath = (dataDir: string): string => join(dataDir, 'refused-clean-up.json');

/** Returns the numbers of pictures that the last clean-up refused to delete; null if it refused none. */
export const readRefusedCleanUp = (dataDir: string): Promise<UnusedPictures | null> =>
  readJson(recordPath(dataDir), UnusedPictures);

/**
 * Records the numbers of pictures that a clean-up refused to delete, for doctor and `/metrics`. Null deletes the
 * record.
 */
export async function recordRefusedCleanUp(dataDir: string, refused: UnusedPictures | null): Promise<void> {
  if (refused) await writeFileAtomically(recordPath(dataDir), `${JSON.stringify(refused)}\n`);
  else await rm(recordPath(dataDir), { force: true });
}

export const describeRefusal = ({ unused, all }: UnusedPictures): string =>
  `${unused} of ${all} pictures in the media folder are not used by any profile or photo, and none was deleted. ` +
  'Check that DATABASE_URL is right and that the database is complete. To delete the pictures, run: npm run archive -- pictures clean-up --force';
