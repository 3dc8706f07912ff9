import type { NotificationKind } from '#contract/notifications.ts';
import type { Db } from '#server/db/client.ts';

/** Creates a notification, in the transaction of the event. @param detail cut to 300 UTF-16 units */
export async function notify(db: Db, accountId: string, kind: NotificationKind, detail = ''): Promise<void> {
  await db
    .insertInto('notifications')
    .values({ account_id: accountId, kind, detail: detail.slice(0, 300) })
    .execute();
}
