import { sql } from 'kysely';
import * as z from 'zod/mini';
import { type NotificationChoices, type NotificationPage, optionalNotificationKinds } from '#contract/notifications.ts';
import { Id } from '#contract/fields.ts';
import type { Db } from '#server/db/client.ts';
import { cutPage, Microseconds, readCursor, timeOf, toMicroseconds } from '#server/platform/http/cursor.ts';
import { type NotificationReader, findFaces } from './faces.ts';

const notificationsPerPage = 20;

const PageKey = z.tuple([z.boolean(), Microseconds, Id]);

export async function findNotifications(
  db: Db,
  reader: NotificationReader,
  after: string | undefined,
): Promise<z.input<typeof NotificationPage>> {
  let query = db
    .selectFrom('notifications')
    .select([
      'id',
      'kind',
      'detail',
      'count',
      'created_at as createdAt',
      sql<boolean>`read_at is not null`.as('read'),
      sql.raw<string>(toMicroseconds('created_at')).as('age'),
    ])
    .where('account_id', '=', reader.accountId)
    .orderBy(sql`(read_at is null) desc, created_at desc, id desc`)
    .limit(notificationsPerPage + 1);
  if (after !== undefined) {
    const [isUnread, createdAt, id] = readCursor(after, PageKey);
    query = query.where(
      sql<boolean>`((read_at is null), created_at, id)
        < (${isUnread}::boolean, ${timeOf(createdAt)}, ${id}::uuid)`,
    );
  }
  const { rows, next } = cutPage(await query.execute(), notificationsPerPage, (last) => [
    !last.read,
    last.age,
    last.id,
  ]);
  const faces = await findFaces(
    db,
    reader,
    rows.filter(({ kind }) => kind === 'joined' || kind === 'photos-added').map(({ id }) => id),
  );
  return { notifications: rows.map((row) => ({ ...row, faces: faces.get(row.id) ?? [] })), next };
}

export async function findNotificationChoices(db: Db, accountId: string): Promise<NotificationChoices> {
  const { muted } = await db
    .selectFrom('accounts')
    .select('muted_kinds as muted')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Object.fromEntries(
    optionalNotificationKinds.map((kind) => [kind, !muted.includes(kind)]),
  ) as NotificationChoices;
}
