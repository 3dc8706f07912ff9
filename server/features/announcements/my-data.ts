import type { CollectMyData } from '../../domain/my-data.ts';

/** Collects which announcements a user has got, and those that a member of staff has written. */
export const collectAnnouncementData: CollectMyData = async ({ db }, { account }) => {
  const announcements = await db
    .selectFrom('announcement_recipients as r')
    .innerJoin('announcements as n', 'n.id', 'r.announcement_id')
    .select(['n.subject', 'r.done_at', 'r.unsubscribed_at'])
    .where('r.account_id', '=', account.id)
    .where('r.result', '=', 'sent')
    .orderBy('r.done_at', 'desc')
    .orderBy('r.id')
    .execute();
  const written = await db
    .selectFrom('announcements')
    .select(['subject', 'text', 'updated_at', 'started_at'])
    .where('created_by', '=', account.id)
    .orderBy('updated_at')
    .orderBy('id')
    .execute();
  return {
    account: {
      ...(written.length > 0 && {
        writtenAnnouncements: written.map(({ subject, text, updated_at, started_at }) => ({
          subject,
          text,
          changedAt: updated_at,
          sentAt: started_at,
        })),
      }),
      announcements: announcements.map(({ subject, done_at, unsubscribed_at }) => ({
        subject,
        sentAt: done_at,
        unsubscribedAt: unsubscribed_at,
      })),
    },
  };
};
