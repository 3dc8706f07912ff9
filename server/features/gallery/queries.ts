import { sql } from 'kysely';
import * as z from 'zod/mini';
import { Id } from '#contract/fields.ts';
import type { Album, Photo, PhotoPage } from '#contract/gallery.ts';
import type { Db } from '../../db/client.ts';
import type { ListingAudience } from '../../db/schema.ts';
import { Microseconds, readCursor, writeCursor } from '../../platform/http/cursor.ts';
import { picturePath } from '../../platform/media/media.ts';

/** Who looks: which photos they see, which names, and which photos are theirs. */
export interface PhotoViewer {
  readonly audience: ListingAudience;
  readonly accountId: string | null;
}

/** Photos of a page. */
const photosPerPage = 24;

/** The last photo of a page: when it was added, to the microsecond, and which it is. */
const PageKey = z.tuple([Microseconds, Id]);

/** One page of photos, the last ones to be added first. */
export async function findPhotos(
  db: Db,
  looker: PhotoViewer,
  album: string | undefined,
  after: string | undefined,
): Promise<PhotoPage> {
  let query = photosFor(db, looker)
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
    items: rows.map((row) => toPhoto(row, looker)),
    next: found.length > photosPerPage && last ? writeCursor([last.age, last.id]) : null,
  };
}

/** One photo, or null where it is not for this looker. */
export async function findPhoto(db: Db, looker: PhotoViewer, id: string): Promise<Photo | null> {
  const row = await photosFor(db, looker).where('p.id', '=', id).executeTakeFirst();
  return row ? toPhoto(row, looker) : null;
}

/** The albums by their titles, with how many photos this looker sees in each. */
export async function findAlbums(db: Db, { audience }: PhotoViewer): Promise<Album[]> {
  let query = db
    .selectFrom('photos')
    .select(['album_key as key', sql<string>`min(album)`.as('title'), sql<number>`count(*)::int`.as('photos')])
    .groupBy('album_key')
    .where(isShown('account_id'))
    .orderBy('album_key')
    .limit(500);
  if (audience === 'everyone') query = query.where('audience', '=', 'everyone');
  return query.execute();
}

/** Hides the photos of inactive accounts. These are few, so they are read once for a whole page. */
const isShown = (owner: string) => sql<boolean>`${sql.ref(owner)} not in (select id from accounts where not is_active)`;

/** The photos that a looker may see, with the name of whoever added each, if that may be seen too. */
function photosFor(db: Db, { audience }: PhotoViewer) {
  const query = db
    .selectFrom('photos as p')
    .leftJoin('listings as l', (join) =>
      join.onRef('l.account_id', '=', 'p.account_id').on('l.audience', '=', audience),
    )
    .select(['p.id', 'p.picture', 'p.width', 'p.height', 'p.title', 'p.place', 'p.taken_on', 'p.album', 'p.account_id'])
    .select(['l.name', sql<string>`(extract(epoch from p.created_at) * 1000000)::bigint::text`.as('age')])
    .where(isShown('p.account_id'));
  return audience === 'everyone' ? query.where('p.audience', '=', 'everyone') : query;
}

type PhotoRow = Awaited<ReturnType<ReturnType<typeof photosFor>['execute']>>[number];

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
