import type { CollectMyData } from '#server/domain/my-data.ts';

export const collectAnnouncementData: CollectMyData = async ({ db }, { account }) => {
  const announcements = await db
    .selectFrom('announcement_recipients as r')
    .innerJoin('announcements as n', 'n.id', 'r.announcement_id')
    .select(['n.subject', 'r.done_at as sentAt', 'r.unsubscribed_at as unsubscribedAt'])
    .where('r.account_id', '=', account.id)
    .where('r.result', '=', 'sent')
    .orderBy('r.done_at', 'desc')
    .orderBy('r.id')
    .execute();
  const written = await db
    .selectFrom('announcements')
    .select(['subject', 'text', 'updated_at as changedAt', 'started_at as sentAt'])
    .where('created_by', '=', account.id)
    .orderBy('updated_at')
    .orderBy('id')
    .execute();
  return {
    account: {
      ...(written.length > 0 && { writtenAnnouncements: written }),
      announcements,
    },
  };
};
