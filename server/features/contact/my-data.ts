import type { CollectMyData } from '#server/domain/my-data.ts';
import { toListingAudience } from '#server/domain/people/visibility.ts';
import { findBlocked, findContactChoices } from './queries.ts';

/** The archive does not store the texts of messages. */
export const collectContactData: CollectMyData = async ({ db }, { account }) => {
  const messages = await db
    .selectFrom('messages')
    .select(['sender_id as from', 'recipient_id as to', 'sent_at as sentAt'])
    .where((eb) => eb.or([eb('sender_id', '=', account.id), eb('recipient_id', '=', account.id)]))
    .orderBy('sent_at', 'desc')
    .orderBy('id')
    .execute();
  return {
    account: {
      ...(await findContactChoices(db, account.id)),
      blocked: await findBlocked(db, account.id, toListingAudience(account)),
      messages,
    },
  };
};
