import type { Media } from '#server/platform/media.ts';
import { hasSecretKey } from '#server/platform/secret-box.ts';
import { Failure } from '../command.ts';
import type { Manifest } from './manifest.ts';

/**
 * The pictures that may be missing in a backup: single ones that somebody has deleted by hand, but not a whole folder that is not
 * there. Without this, a disk that is not mounted would make every backup worthless within a week.
 */
const tolerated = { few: 5, share: 0.1 };

/** What a backup is looked at for, while it is made. */
interface Looked {
  readonly dataDir: string;
  readonly media: Pick<Media, 'folder'>;
  /** Takes what is there, for an archive that has lost the rest. */
  readonly isIncomplete?: boolean;
}

const howToGoOn =
  'Is DATA_DIR right, and its disk there? Nothing was overwritten. If it is lost for good: --incomplete makes a backup of the rest.';

/** Whether the key of authenticator apps is missing though somebody needs it. @throws Failure where it may not be */
export function lacksKey({ dataDir, isIncomplete = false }: Looked, { tables }: Pick<Manifest, 'tables'>): boolean {
  const owners = tables.find(({ name }) => name === 'authenticators')?.rows ?? 0;
  if (owners === 0 || hasSecretKey(dataDir)) return false;
  if (isIncomplete) return true;
  throw new Failure(
    `second-factor.key is missing in ${dataDir}, and ${owners} people have an authenticator app that works with it alone. ${howToGoOn}`,
  );
}

/** Whether so many pictures are missing that something is wrong with the disk. @throws Failure where they may not be */
export function lacksPictures({ media, isIncomplete = false }: Looked, missing: number, all: number): boolean {
  if (missing <= tolerated.few || missing <= all * tolerated.share) return false;
  if (isIncomplete) return true;
  throw new Failure(`More than a tenth of the ${all} pictures are missing in ${media.folder}. ${howToGoOn}`);
}
