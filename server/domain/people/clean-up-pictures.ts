import { type UnusedPictures, recordRefusedCleanUp } from './refused-clean-up.ts';
import type { Context } from '../context.ts';
import { emptyTrash, findUsedPictures } from './pictures.ts';

/** A save writes its picture a few seconds before its row. */
const defaultMinAgeMs = 24 * 60 * 60 * 1000;

/**
 * Limits of a clean-up. A clean-up that exceeds both numbers of an entry is refused, because the database may be empty
 * or the wrong one.
 */
const refusalLimits = [
  { pictures: 50, share: 0.05 },
  // For small archives. Three unused pictures are always allowed while others are in use, because a few crashes can
  // leave three.
  { pictures: 3, share: 0.5 },
];

const isSuspicious = ({ unused, all }: UnusedPictures): boolean =>
  unused > 0 &&
  (unused === all || refusalLimits.some(({ pictures, share }) => unused > pictures && unused > all * share));

const batchSize = 1_000;

interface CleanUpOptions {
  readonly isForced?: boolean;
  readonly isDryRun?: boolean;
  readonly minAgeMs?: number;
}

/**
 * Deletes old pictures that no profile or photo uses. A crash between writing a file and its row leaves such pictures.
 * Records a refusal for doctor and `/metrics`.
 * @returns the number of old pictures and of unused ones among them, and whether deleting them was refused
 */
export async function cleanUpPictures(
  { db, media, config }: Pick<Context, 'db' | 'media' | 'config'>,
  { isForced = false, isDryRun = false, minAgeMs = defaultMinAgeMs }: CleanUpOptions = {},
): Promise<UnusedPictures & { readonly isRefused: boolean }> {
  const old = await media.listStoredBefore(new Date(Date.now() - minAgeMs));
  const unused: string[] = [];
  for (let from = 0; from < old.length; from += batchSize) {
    const some = old.slice(from, from + batchSize);
    const used = await findUsedPictures(db, some);
    unused.push(...some.filter((name) => !used.has(name)));
  }
  const found = { unused: unused.length, all: old.length };
  const isRefused = !isForced && isSuspicious(found);
  if (isDryRun) return { ...found, isRefused };
  await recordRefusedCleanUp(config.dataDir, isRefused ? found : null);
  if (!isRefused) {
    for (const name of unused) await media.moveToTrash(name);
    await emptyTrash({ db, media });
  }
  return { ...found, isRefused };
}
