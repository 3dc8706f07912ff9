import { sql } from 'kysely';
import { isBackupRunning } from '../db/backup-lock.ts';
import type { Db } from '../db/client.ts';
import { nullIfMissing } from '../platform/storage/files.ts';
import type { Media } from '../platform/media/media.ts';

/*
 * Which stored pictures are still shown, by a profile or in the gallery. Files and rows cannot change together: a row is
 * always written last and taken away first, and what is left over is removed by night (`features/profile/tasks.ts`).
 */

/** Which of these pictures are shown somewhere. */
export async function findUsedPictures(db: Db, pictures: readonly string[]): Promise<Set<string>> {
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
export async function findPictures(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('profiles')
    .select('picture')
    .where('account_id', '=', accountId)
    .union(db.selectFrom('photos').select('picture').where('account_id', '=', accountId))
    .union(db.selectFrom('unfinished_profiles').select('picture').where('account_id', '=', accountId))
    .execute();
  return rows.flatMap(({ picture }) => picture ?? []);
}

interface PictureStores {
  readonly db: Db;
  readonly media: Media;
}

/** Removes those that nothing shows any more. What cannot be removed now, the nightly clean-up finds. */
export async function removeUnusedPictures(place: PictureStores, pictures: readonly string[]): Promise<void> {
  try {
    const used = await findUsedPictures(place.db, pictures);
    for (const picture of pictures) if (!used.has(picture)) await place.media.moveToTrash(picture);
    await deleteRemovedPictures(place);
  } catch {
    // What this belongs to has happened, or has failed for a reason that is the one to tell.
  }
}

/**
 * Deletes the files of removed pictures. From the moment of their removal nobody can fetch them; but a backup that has begun
 * before may still have to read them, so while one is made they stay, and whoever comes next deletes them.
 */
export async function deleteRemovedPictures({ db, media }: PictureStores): Promise<void> {
  // First the names, then the question: a backup that begins between the two, or later, sees no row with one of these names,
  // because a row is gone before its picture is set aside.
  const names = await media.listTrash();
  if (names.length === 0 || (await isBackupRunning(db))) return;
  for (const name of names) await media.deleteFromTrash(name);
}

/**
 * Renames a picture, so that the address under which people have seen it answers 404.
 * @returns the new name; null where the file is missing
 */
export async function renamePicture(
  tx: Db,
  { media }: Pick<PictureStores, 'media'>,
  picture: string,
  accountId: string,
): Promise<string | null> {
  const copy = await media.copy(picture).catch(nullIfMissing);
  if (copy === null) return null;
  for (const table of ['profiles', 'photos', 'unfinished_profiles'] as const)
    await tx
      .updateTable(table)
      .set({ picture: copy })
      .where('account_id', '=', accountId)
      .where('picture', '=', picture)
      .execute();
  return copy;
}
