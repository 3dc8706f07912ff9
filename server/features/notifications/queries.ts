import { sql } from 'kysely';
import * as z from 'zod/mini';
import { type NotificationChoices, type NotificationPage, optionalNotificationKinds } from '#contract/notifications.ts';
import { Id } from '#contract/fields.ts';
import type { Db } from '../../db/client.ts';
import { Microseconds, readCursor, writeCursor } from '../../platform/http/cursor.ts';

const notificationsPerPage = 20;

/** Cursor of a page: of its last notification, whether it is unread, its time in microseconds, and its id. */
const PageKey = z.tuple([z.boolean(), Microseconds, Id]);

/** Time of creation in microseconds, the precision of PostgreSQL. */
const createdAtMicroseconds = sql<string>`(extract(epoch from created_at) * 1000000)::bigint::text`;

/** Returns one page of notifications, unread ones first, then newest first. */
export async function findNotifications(
  db: Db,
  accountId: string,
  after: string | undefined,
): Promise<NotificationPage> {
  let query = db
    .selectFrom('notifications')
    .select([
      'id',
      'kind',
      'detail',
      'count',
      'created_at',
      sql<boolean>`read_at is not null`.as('read'),
      createdAtMicroseconds.as('age'),
    ])
    .where('account_id', '=', accountId)
    .orderBy(sql`(read_at is null) desc, created_at desc, id desc`)
    .limit(notificationsPerPage + 1);
  if (after !== undefined) {
    const [isUnread, createdAt, id] = readCursor(after, PageKey);
    query = query.where(
      sql<boolean>`((read_at is null), created_at, id)
        < (${isUnread}::boolean, 'epoch'::timestamptz + ${createdAt}::bigint * interval '1 microsecond', ${id}::uuid)`,
    );
  }
  const found = await query.execute();
  const rows = found.slice(0, notificationsPerPage);
  const last = rows.at(-1);
  return {
    notifications: rows.map(({ id, kind, detail, count, read, created_at }) => ({
      id,
      kind,
      detail,
      count,
      read,
      createdAt: created_at.toISOString(),
    })),
    next: found.length > notificationsPerPage && last ? writeCursor([!last.read, last.age, last.id]) : null,
  };
}

/** Returns the optional kinds of notifications that a user receives. */
export async function findNotificationChoices(db: Db, accountId: string): Promise<NotificationChoices> {
  const { muted_kinds: muted } = await db
    .selectFrom('accounts')
    .select('muted_kinds')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Object.fromEntries(
    optionalNotificationKinds.map((kind) => [kind, !muted.includes(kind)]),
  ) as NotificationChoices;
}
