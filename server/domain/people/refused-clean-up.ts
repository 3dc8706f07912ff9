import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJson, writeFileAtomically } from '#server/platform/storage/files.ts';

const UnusedPictures = z.object({ unused: z.number(), all: z.number() });
export type UnusedPictures = z.infer<typeof UnusedPictures>;

/** Not in the database, which may be the wrong one. */
const recordPath = (dataDir: string): string => join(dataDir, 'refused-clean-up.json');

export const readRefusedCleanUp = (dataDir: string): Promise<UnusedPictures | null> =>
  readJson(recordPath(dataDir), UnusedPictures);

export async function recordRefusedCleanUp(dataDir: string, refused: UnusedPictures | null): Promise<void> {
  if (refused) await writeFileAtomically(recordPath(dataDir), `${JSON.stringify(refused)}\n`);
  else await rm(recordPath(dataDir), { force: true });
}

export const describeRefusal = ({ unused, all }: UnusedPictures): string =>
  `${unused} of ${all} pictures in the media folder are not used by any profile or photo, and none was deleted. ` +
  'Check that DATABASE_URL is right and that the database is complete. To delete the pictures, run: npm run archive -- pictures clean-up --force';
