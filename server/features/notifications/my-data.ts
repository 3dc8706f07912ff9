import type { CollectMyData } from '#server/domain/my-data.ts';
import { findNotificationChoices } from './queries.ts';

export const collectNotificationData: CollectMyData = async ({ db }, { account }) => {
  const notifications = await db
    .selectFrom('notifications')
    .select(['kind', 'detail', 'count', 'created_at as createdAt', 'read_at as readAt'])
    .where('account_id', '=', account.id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return {
    account: {
      notificationChoices: await findNotificationChoices(db, account.id),
      notifications,
    },
  };
};
