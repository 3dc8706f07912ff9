import { type Insertable, sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience, Tables } from '#server/db/schema.ts';
import type { Account } from '../accounts/accounts.ts';
import { fold } from '../search/folding.ts';
import { awaitsConfirmationSql } from '../membership/membership-status.ts';
import { toListingAudience } from './visibility.ts';

type NewPhoto = Omit<Insertable<Tables['photos']>, 'album_key'>;

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

export interface PhotoViewer {
  readonly audience: ListingAudience;
  readonly accountId: string | null;
}

export const toPhotoViewer = (account?: Account): PhotoViewer => ({
  audience: toListingAudience(account),
  accountId: account?.id ?? null,
});

/**
 * Returns an SQL condition on `photos as p`: whether the viewer may see the photo. No one sees photos of inactive
 * accounts, and only their owners see those of accounts that have to be confirmed, and photos that staff or a report
 * hide. The first subquery is cheap, because few accounts are inactive. The second runs only in the mode `confirmed`,
 * once per photo: PostgreSQL would execute an EXISTS by reading all accounts.
 */
export function canSeePhoto({ audience, accountId }: PhotoViewer) {
  const isOwn = accountId === null ? sql<boolean>`false` : sql<boolean>`p.account_id = ${accountId}`;
  const visible = sql<boolean>`p.account_id not in (select id from accounts where not is_active)
    and (p.moderation is null or ${isOwn})
    and (not (select mode = 'confirmed' from membership_mode)
      or not (select ${sql.raw(awaitsConfirmationSql)} from accounts as a where a.id = p.account_id))`;
  if (audience === 'members') return visible;
  const ofEveryone = sql<boolean>`p.audience = 'everyone' and ${visible}`;
  // Accounts that are not members: their own photos stay in reach, so that they can delete them.
  return accountId === null ? ofEveryone : sql<boolean>`(${isOwn} or ${ofEveryone})`;
}
