import type { NotificationKind } from '#contract/notifications.ts';
import type { Db } from '../db/client.ts';

/** Tells somebody something, in the transaction in which it happens. */
export async function notify(db: Db, accountId: string, kind: NotificationKind, detail = ''): Promise<void> {
  await db
    .insertInto('notifications')
    .values({ account_id: accountId, kind, detail: detail.slice(0, 300) })
    .execute();
}
