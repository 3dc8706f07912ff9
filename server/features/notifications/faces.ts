import { sql } from 'kysely';
import type { Face } from '#contract/directory.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience, Tables } from '#server/db/schema.ts';
import { canSeePhoto } from '#server/domain/people/photos.ts';
import { toFace } from '#server/domain/people/visibility.ts';

export interface NotificationReader {
  readonly accountId: string;
  readonly audience: ListingAudience;
}

export const maxFaces = 4;

/**
 * Returns people whom digests of a department are about, the latest first, by the id of the notification. The people
 * are not stored: they are those of the directory who joined, or added photos, between the digest before and this one.
 * So no one appears who has left, or whom the reader may not see now.
 */
export async function findFaces(
  db: Db,
  { accountId, audience }: NotificationReader,
  notificationIds: readonly string[],
): Promise<Map<string, Face[]>> {
  const faces = new Map<string, Face[]>();
  if (notificationIds.length === 0) return faces;
  const { rows } = await sql<Pick<Tables['listings'], 'account_id' | 'name' | 'picture'> & { notificationId: string }>`
    with digests as (
      select n.id, n.kind, n.detail, n.count, n.created_at as until, coalesce(
        (select max(o.created_at) from notifications o where o.account_id = n.account_id and o.kind = n.kind
          and o.detail = n.detail and o.created_at < n.created_at),
        (select created_at from accounts where id = n.account_id)) as since
      from notifications n where n.account_id = ${accountId} and n.id = any(${notificationIds}::uuid[])
    )
    select d.id as "notificationId", found.account_id, found.name, found.picture
    from digests d cross join lateral (
      select account_id, name, picture, at from (
        select l.account_id, l.name, l.picture, l.listed_at as at from listings l
        where d.kind = 'joined' and l.audience = ${audience} and l.department = d.detail and l.account_id <> ${accountId}
          and l.listed_at > d.since and l.listed_at <= d.until
        union all
        select l.account_id, l.name, l.picture, max(p.created_at) from photos p
        join listings l on l.account_id = p.account_id and l.audience = ${audience}
        where d.kind = 'photos-added' and l.department = d.detail and p.account_id <> ${accountId}
          and p.created_at > d.since and p.created_at <= d.until and ${canSeePhoto({ accountId, audience })}
        group by 1, 2, 3
      ) as people order by at desc, account_id limit least(d.count, ${sql.lit(maxFaces)})
    ) as found
    order by d.id, found.at desc, found.account_id`.execute(db);
  for (const { notificationId, ...row } of rows)
    faces.set(notificationId, [...(faces.get(notificationId) ?? []), toFace(row)]);
  return faces;
}
