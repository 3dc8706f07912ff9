import { sql } from 'kysely';
import { isBackupRunning } from '#server/db/backup-lock.ts';
import type { Db } from '#server/db/client.ts';
import { nullIfMissing } from '#server/platform/storage/files.ts';
import type { Media } from '#server/platform/media/media.ts';

/*
 * Picture files and the rows that use them. Files and rows cannot change in one transaction: a row is always written
 * after its file and deleted before it. A nightly job deletes files that a crash left behind
 * (`features/profile/tasks.ts`).
 */

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

/** Removes the pictures that no row references. Ignores errors, because the nightly clean-up tries again. */
export async function removeUnusedPictures(stores: PictureStores, pictures: readonly string[]): Promise<void> {
  try {
    const used = await findUsedPictures(stores.db, pictures);
    for (const picture of pictures) if (!used.has(picture)) await stores.media.moveToTrash(picture);
    await emptyTrash(stores);
  } catch {
    // The caller has already succeeded, or failed with a more important error.
  }
}

/**
 * Deletes the files in the trash, which are no longer served. Keeps the files while a backup runs, because a backup
 * that started before their removal still reads them. A later call deletes them.
 */
export async function emptyTrash({ db, media }: PictureStores): Promise<void> {
  // List the files before checking for a backup. A backup that starts in between does not need them, because their rows
  // are already deleted.
  const names = await media.listTrash();
  if (names.length === 0 || (await isBackupRunning(db))) return;
  for (const name of names) await media.deleteFromTrash(name);
}

/**
 * Renames a picture in all rows of an account, so that its old URL returns 404.
 * @returns the new name; null if the file is missing
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
