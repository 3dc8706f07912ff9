import type { Media } from '#server/platform/media.ts';
import { hasSecretKey } from '#server/platform/secret-box.ts';
import { Failure } from '../command.ts';
import type { Manifest } from './manifest.ts';

/**
 * Missing pictures that a backup tolerates: single ones that were deleted by hand, but not a whole folder. Without this limit, a
 * disk that is not mounted would replace every good backup within a week.
 */
const tolerated = { count: 5, share: 0.1 };

interface Source {
  readonly dataDir: string;
  readonly media: Pick<Media, 'folder'>;
  /** Accepts that the rest is missing. */
  readonly isIncomplete?: boolean;
}

/**
 * Returns whether the data folder has the pictures and the key that the rows need.
 * @param missing number of pictures that rows name and that are not there
 * @throws Failure if it has not, unless the source is incomplete
 */
export function isWhole(
  { dataDir, media, isIncomplete = false }: Source,
  manifest: Manifest,
  missing: number,
): boolean {
  const owners = manifest.tables.find(({ name }) => name === 'authenticators')?.rows ?? 0;
  const { pictures } = manifest;
  let problem: string | null = null;
  if (owners > 0 && !hasSecretKey(dataDir))
    problem = `second-factor.key is missing in ${dataDir}, and ${owners} people have an authenticator app that works with it alone.`;
  else if (missing > tolerated.count && missing > pictures * tolerated.share)
    problem = `More than a tenth of the ${pictures} pictures are missing in ${media.folder}.`;
  if (problem === null || isIncomplete) return problem === null;
  throw new Failure(
    `${problem} Is DATA_DIR right, and its disk there? Nothing was overwritten. If it is lost for good: --incomplete makes a backup of the rest.`,
  );
}
