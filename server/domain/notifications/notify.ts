import type { NotificationKind } from '#contract/notifications.ts';
import type { Db } from '#server/db/client.ts';

export async function notify(db: Db, accountId: string, kind: NotificationKind, detail = ''): Promise<void> {
  await db
    .insertInto('notifications')
    .values({ account_id: accountId, kind, detail: detail.slice(0, 300) })
    .execute();
}
