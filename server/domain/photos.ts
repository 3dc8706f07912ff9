import type { Insertable } from 'kysely';
import type { Db } from '../db/client.ts';
import type { Tables } from '../db/schema.ts';
import { fold } from './folding.ts';

/** A photo whose files are stored. */
type NewPhoto = Omit<Insertable<Tables['photos']>, 'album_key'>;

/** Inserts a photo into its album. @returns its id */
export async function insertPhoto(tx: Db, photo: NewPhoto): Promise<string> {
  const key = fold(photo.album) || photo.album;
  const { id } = await tx
    .insertInto('photos')
    .values({ ...photo, album_key: key, album: (await findAlbumTitle(tx, key)) ?? photo.album })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns the title of an album as its first photo spells it, so that "convocation  2015" joins "Convocation 2015". */
async function findAlbumTitle(tx: Db, key: string): Promise<string | null> {
  const row = await tx
    .selectFrom('photos')
    .select('album')
    .where('album_key', '=', key)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return row?.album ?? null;
}
