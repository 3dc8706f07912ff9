import type { CollectMyData } from '../../domain/my-data.ts';
import { findNotificationChoices } from './queries.ts';

/** What somebody wants to be told of, and what they have been told. */
export const notificationData: CollectMyData = async ({ db }, { account }) => {
  const told = await db
    .selectFrom('notifications')
    .select(['kind', 'detail', 'count', 'created_at', 'read_at'])
    .where('account_id', '=', account.id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return {
    account: {
      notificationChoices: await findNotificationChoices(db, account.id),
      notifications: told.map(({ created_at, read_at, ...what }) => ({
        ...what,
        createdAt: created_at.toISOString(),
        readAt: read_at?.toISOString() ?? null,
      })),
    },
  };
};
