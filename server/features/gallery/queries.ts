import { sql } from 'kysely';
import * as z from 'zod/mini';
import { Id } from '#contract/fields.ts';
import type { Album, Photo, PhotoPage } from '#contract/gallery.ts';
import type { Db } from '#server/db/client.ts';
import { type PhotoViewer, canSeePhoto } from '#server/domain/people/photos.ts';
import { cutPage, Microseconds, readCursor, timeOf, toMicroseconds } from '#server/platform/http/cursor.ts';
import { picturePath } from '#server/domain/people/picture-sizes.ts';

const photosPerPage = 24;

const PageKey = z.tuple([z.int(), Microseconds, Id]);

const yearSql = sql<number>`extract(year from coalesce(p.taken_on, p.created_at at time zone 'UTC'))::int`;

export async function findPhotos(
  db: Db,
  viewer: PhotoViewer,
  album: string | undefined,
  after: string | undefined,
): Promise<PhotoPage> {
  let query = selectPhotos(db, viewer)
    .orderBy('year', 'desc')
    .orderBy('p.created_at', 'desc')
    .orderBy('p.id', 'desc')
    .limit(photosPerPage + 1);
  if (album !== undefined) query = query.where('p.album_key', '=', album);
  if (after !== undefined) {
    const [year, addedAt, id] = readCursor(after, PageKey);
    query = query.where(sql<boolean>`(${yearSql}, p.created_at, p.id) < (${year}, ${timeOf(addedAt)}, ${id}::uuid)`);
  }
  const { rows, next } = cutPage(await query.execute(), photosPerPage, ({ year, age, id }) => [year, age, id]);
  return { items: rows.map((row) => toPhoto(row, viewer)), next };
}

export async function findPhoto(db: Db, viewer: PhotoViewer, id: string): Promise<Photo | null> {
  const row = await selectPhotos(db, viewer).where('p.id', '=', id).executeTakeFirst();
  return row ? toPhoto(row, viewer) : null;
}

export async function findAlbums(db: Db, viewer: PhotoViewer): Promise<Album[]> {
  const albums = await db
    .selectFrom('photos as p')
    .select([
      'album_key as key',
      sql<string>`min(album)`.as('title'),
      sql<number>`count(*)::int`.as('photos'),
      sql<string>`(array_agg(picture order by created_at desc, id desc))[1]`.as('cover'),
    ])
    .groupBy('album_key')
    .where(canSeePhoto(viewer))
    .orderBy('album_key')
    .limit(500)
    .execute();
  return albums.map((album) => ({ ...album, cover: picturePath(album.cover, 480) }));
}

function selectPhotos(db: Db, viewer: PhotoViewer) {
  return db
    .selectFrom('photos as p')
    .leftJoin('listings as l', (join) =>
      join.onRef('l.account_id', '=', 'p.account_id').on('l.audience', '=', viewer.audience),
    )
    .select([
      'p.id',
      'p.picture',
      'p.width',
      'p.height',
      'p.title',
      'p.place',
      'p.taken_on as takenOn',
      'p.album',
      'p.account_id as ownerId',
      'p.moderation',
    ])
    .select(['l.name', yearSql.as('year'), sql.raw<string>(toMicroseconds('p.created_at')).as('age')])
    .where(canSeePhoto(viewer));
}

type PhotoRow = Awaited<ReturnType<ReturnType<typeof selectPhotos>['execute']>>[number];

const toPhoto = ({ picture, ownerId, name, moderation, ...photo }: PhotoRow, { accountId }: PhotoViewer): Photo => ({
  ...photo,
  thumb: picturePath(picture, 480),
  src: picturePath(picture, 1440),
  by: name === null ? null : { id: ownerId, name },
  isOwn: ownerId === accountId,
  // No one else sees a photo with this property.
  ...(moderation !== null && { moderation }),
});
