import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJson, writeFileAtomically } from '../platform/storage/files.ts';

/** How many stored pictures are old enough to be deleted, and how many of these nothing shows. */
const UnusedPictures = z.object({ unused: z.number(), all: z.number() });
export type UnusedPictures = z.infer<typeof UnusedPictures>;

/** In the data folder and not in the database: that may be the wrong one. */
const recordPath = (dataDir: string): string => join(dataDir, 'refused-clean-up.json');

/** Returns what the last clean-up of pictures refused to delete; null when it refused nothing. */
export const readRefusedCleanUp = (dataDir: string): Promise<UnusedPictures | null> =>
  readJson(recordPath(dataDir), UnusedPictures);

/** Notes what a clean-up refused to delete, for doctor and `/metrics`; with null, that it refused nothing. */
export async function recordRefusedCleanUp(dataDir: string, refused: UnusedPictures | null): Promise<void> {
  if (refused) await writeFileAtomically(recordPath(dataDir), `${JSON.stringify(refused)}\n`);
  else await rm(recordPath(dataDir), { force: true });
}

/** Returns why nothing was deleted, and what to do. */
export const describeRefusal = ({ unused, all }: UnusedPictures): string =>
  `${unused} of ${all} pictures in the media folder are not used by any profile or photo, and none was deleted. ` +
  'Is DATABASE_URL right, and everyone in that database? If so: npm run archive -- pictures clean-up --force';
