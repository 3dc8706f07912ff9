import { sql } from 'kysely';
import * as z from 'zod/mini';
import { Id } from '#contract/fields.ts';
import type { Album, Photo, PhotoPage } from '#contract/gallery.ts';
import type { Db } from '../../db/client.ts';
import type { ListingAudience } from '../../db/schema.ts';
import { awaitsConfirmationSql } from '../../domain/membership-status.ts';
import { Microseconds, readCursor, writeCursor } from '../../platform/http/cursor.ts';
import { picturePath } from '../../domain/picture-sizes.ts';

/**
 * Audience and account of the caller. Both determine which photos and names the caller sees, and which photos are the
 * caller's.
 */
export interface PhotoViewer {
  readonly audience: ListingAudience;
  readonly accountId: string | null;
}

const photosPerPage = 24;

/** Cursor of a page: the time when its last photo was added, in microseconds, and the id of that photo. */
const PageKey = z.tuple([Microseconds, Id]);

/** Returns one page of photos, newest first. */
export async function findPhotos(
  db: Db,
  viewer: PhotoViewer,
  album: string | undefined,
  after: string | undefined,
): Promise<PhotoPage> {
  let query = selectPhotos(db, viewer)
    .orderBy('p.created_at', 'desc')
    .orderBy('p.id', 'desc')
    .limit(photosPerPage + 1);
  if (album !== undefined) query = query.where('p.album_key', '=', album);
  if (after !== undefined) {
    const [addedAt, id] = readCursor(after, PageKey);
    query = query.where(
      sql<boolean>`(p.created_at, p.id)
        < ('epoch'::timestamptz + ${addedAt}::bigint * interval '1 microsecond', ${id}::uuid)`,
    );
  }
  const found = await query.execute();
  const rows = found.slice(0, photosPerPage);
  const last = rows.at(-1);
  return {
    items: rows.map((row) => toPhoto(row, viewer)),
    next: found.length > photosPerPage && last ? writeCursor([last.age, last.id]) : null,
  };
}

/** Returns a photo, or null if the viewer may not see it. */
export async function findPhoto(db: Db, viewer: PhotoViewer, id: string): Promise<Photo | null> {
  const row = await selectPhotos(db, viewer).where('p.id', '=', id).executeTakeFirst();
  return row ? toPhoto(row, viewer) : null;
}

/** Returns the albums by title, with the number of photos that the viewer may see. */
export const findAlbums = (db: Db, viewer: PhotoViewer): Promise<Album[]> =>
  db
    .selectFrom('photos as p')
    .select(['album_key as key', sql<string>`min(album)`.as('title'), sql<number>`count(*)::int`.as('photos')])
    .groupBy('album_key')
    .where(canSeePhoto(viewer))
    .orderBy('album_key')
    .limit(500)
    .execute();

/**
 * Returns an SQL condition on `photos as p`: whether the viewer may see the photo. No one sees photos of inactive accounts, and only their
 * owners see those of accounts that have to be confirmed. The first subquery is cheap, because few accounts are inactive. The second runs
 * only in the mode `confirmed`, once per photo: PostgreSQL would execute an EXISTS by reading all accounts.
 */
function canSeePhoto({ audience, accountId }: PhotoViewer) {
  const visible = sql<boolean>`p.account_id not in (select id from accounts where not is_active)
    and (not (select mode = 'confirmed' from membership_mode)
      or not (select ${sql.raw(awaitsConfirmationSql)} from accounts as a where a.id = p.account_id))`;
  if (audience === 'members') return visible;
  const ofEveryone = sql<boolean>`p.audience = 'everyone' and ${visible}`;
  // Accounts that are not members: their own photos stay in reach, so that they can delete them.
  return accountId === null ? ofEveryone : sql<boolean>`(p.account_id = ${accountId} or ${ofEveryone})`;
}

/** Returns a query for the photos that the viewer may see, with the owner's name if the viewer may see it. */
function selectPhotos(db: Db, viewer: PhotoViewer) {
  return db
    .selectFrom('photos as p')
    .leftJoin('listings as l', (join) =>
      join.onRef('l.account_id', '=', 'p.account_id').on('l.audience', '=', viewer.audience),
    )
    .select(['p.id', 'p.picture', 'p.width', 'p.height', 'p.title', 'p.place', 'p.taken_on', 'p.album', 'p.account_id'])
    .select(['l.name', sql<string>`(extract(epoch from p.created_at) * 1000000)::bigint::text`.as('age')])
    .where(canSeePhoto(viewer));
}

type PhotoRow = Awaited<ReturnType<ReturnType<typeof selectPhotos>['execute']>>[number];

const toPhoto = (row: PhotoRow, { accountId }: PhotoViewer): Photo => ({
  id: row.id,
  thumb: picturePath(row.picture, 480),
  src: picturePath(row.picture, 1440),
  width: row.width,
  height: row.height,
  title: row.title,
  place: row.place,
  takenOn: row.taken_on,
  album: row.album,
  by: row.name === null ? null : { id: row.account_id, name: row.name },
  isOwn: row.account_id === accountId,
});
