import type { CollectMyData } from '../../domain/my-data.ts';
import { findBlocked } from './queries.ts';

/** Whether somebody takes messages, whom they have blocked, and to whom they wrote. Who wrote to them is in their mailbox. */
export const contactData: CollectMyData = async ({ db }, { account }) => {
  const { takes_messages: takesMessages } = await db
    .selectFrom('accounts')
    .select('takes_messages')
    .where('id', '=', account.id)
    .executeTakeFirstOrThrow();
  const written = await db
    .selectFrom('messages')
    .select(['recipient_id as to', 'sent_at'])
    .where('sender_id', '=', account.id)
    .orderBy('sent_at')
    .execute();
  return {
    account: {
      takesMessages,
      blocked: await findBlocked(db, account.id),
      messagesWritten: written.map(({ to, sent_at }) => ({ to, sentAt: sent_at.toISOString() })),
    },
  };
};
