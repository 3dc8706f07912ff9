import type { CollectMyData } from '../../domain/my-data.ts';
import { findBlocked, findContactChoices } from './queries.ts';

/** Who may write to somebody, and who wrote to whom and when. What they wrote is not kept. */
export const contactData: CollectMyData = async ({ db }, { account }) => {
  const messages = await db
    .selectFrom('messages')
    .select(['sender_id', 'recipient_id', 'sent_at'])
    .where((eb) => eb.or([eb('sender_id', '=', account.id), eb('recipient_id', '=', account.id)]))
    .orderBy('sent_at', 'desc')
    .orderBy('id')
    .execute();
  return {
    account: {
      ...(await findContactChoices(db, account.id)),
      blocked: await findBlocked(db, account.id),
      messages: messages.map(({ sender_id, recipient_id, sent_at }) => ({
        from: sender_id,
        to: recipient_id,
        sentAt: sent_at.toISOString(),
      })),
    },
  };
};
