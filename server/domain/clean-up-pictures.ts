import { type UnusedPictures, recordRefusedCleanUp } from './refused-clean-up.ts';
import type { Context } from './context.ts';
import { deleteRemovedPictures, findUsedPictures } from './pictures.ts';

/** Longer than any save takes between its picture and its row. */
const defaultMinAgeMs = 24 * 60 * 60 * 1000;

/** A clean-up that would delete more than both numbers of a limit is refused: the database may be empty or the wrong one. */
const refusalLimits = [
  { pictures: 50, share: 0.05 },
  // For small archives. Up to three are allowed while others are in use: a few crashes leave as many.
  { pictures: 3, share: 0.5 },
];

/** Whether a clean-up needs the operator: it exceeds a limit, or no stored picture is in use. */
const isSuspicious = ({ unused, all }: UnusedPictures): boolean =>
  unused > 0 &&
  (unused === all || refusalLimits.some(({ pictures, share }) => unused > pictures && unused > all * share));

/** Pictures per SQL statement. */
const batchSize = 1_000;

interface CleanUpOptions {
  /** Deletes however many there are. */
  readonly isForced?: boolean;
  /** Deletes nothing. */
  readonly isDryRun?: boolean;
  /** Age of the youngest pictures that are deleted. */
  readonly minAgeMs?: number;
}

/**
 * Deletes pictures that are older than a day and that nothing shows: a crash between files and rows leaves them. Notes a refusal for doctor
 * and `/metrics`.
 * @returns how many there are, and whether it was refused to delete them
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
    await deleteRemovedPictures({ db, media });
  }
  return { ...found, isRefused };
}
