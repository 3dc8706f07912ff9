import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import type { Media } from '../platform/media.ts';

/*
 * Which stored pictures are still shown, by a profile or in the gallery. Files and rows cannot change together: a row is
 * always written last and taken away first, and what is left over is removed by night (`features/profile/tasks.ts`).
 */

/** Which of these pictures are shown somewhere. */
export async function usedPictures(db: Db, pictures: readonly string[]): Promise<Set<string>> {
  const names = sql<string>`any(${pictures}::text[])`;
  const rows = await db
    .selectFrom('profiles')
    .select('picture')
    .where('picture', '=', names)
    .union(db.selectFrom('photos').select('picture').where('picture', '=', names))
    .union(db.selectFrom('unfinished_profiles').select('picture').where('picture', '=', names))
    .execute();
  return new Set(rows.map(({ picture }) => picture ?? ''));
}

/** Every picture that belongs to an account. */
export async function picturesOf(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('profiles')
    .select('picture')
    .where('account_id', '=', accountId)
    .union(db.selectFrom('photos').select('picture').where('account_id', '=', accountId))
    .union(db.selectFrom('unfinished_profiles').select('picture').where('account_id', '=', accountId))
    .execute();
  return rows.flatMap(({ picture }) => picture ?? []);
}

/** Removes those that nothing shows any more. What cannot be removed now, the nightly clean-up finds. */
export async function removeUnused(
  { db, media }: { readonly db: Db; readonly media: Media },
  pictures: readonly string[],
): Promise<void> {
  try {
    const used = await usedPictures(db, pictures);
    for (const picture of pictures) if (!used.has(picture)) await media.remove(picture);
  } catch {
    // What this belongs to has happened, or has failed for a reason that is the one to tell.
  }
}
