import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJson, writeFileAtomically } from '../platform/storage/files.ts';

/** How many stored pictures are old enough to be deleted, and how many of these nothing shows. */
const Unused = z.object({ unused: z.number(), all: z.number() });
export type Unused = z.infer<typeof Unused>;

/** In the data folder and not in the database: that may be the wrong one. */
const noteOf = (dataDir: string): string => join(dataDir, 'refused-clean-up.json');

/** Returns what the last clean-up of pictures refused to delete; null when it refused nothing. */
export const readRefusedCleanUp = (dataDir: string): Promise<Unused | null> => readJson(noteOf(dataDir), Unused);

/** Notes what a clean-up refused to delete, for doctor and `/metrics`; with null, that it refused nothing. */
export async function noteRefusedCleanUp(dataDir: string, refused: Unused | null): Promise<void> {
  if (refused) await writeFileAtomically(noteOf(dataDir), `${JSON.stringify(refused)}\n`);
  else await rm(noteOf(dataDir), { force: true });
}

/** Returns why nothing was deleted, and what to do. */
export const refusalOf = ({ unused, all }: Unused): string =>
  `${unused} of ${all} pictures in the media folder are not used by any profile or photo, and none was deleted. ` +
  'Is DATABASE_URL right, and everyone in that database? If so: npm run archive -- pictures clean-up --force';
