import type { Message } from '#contract/contact.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { type Limiter, rateLimitRules } from '#server/domain/rate-limit-rules.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { messageMailJob } from './jobs.ts';
import { type Relation, findRelation, acceptsMessages, getOwnReach } from './queries.ts';

/**
 * Queues the mail with a message, and records sender and recipient. Only the queue stores the text. Refused messages do
 * not count toward rate limits.
 * @throws ProblemError not-found, permission-denied, auth/too-many-requests
 */
export async function sendMessage(
  { db, limiter }: Context,
  senderId: string,
  recipientId: string,
  message: Message,
): Promise<void> {
  if (senderId === recipientId) throw createRefusal('You cannot send a message to yourself.');
  await db.transaction().execute(async (tx) => {
    const relation = await findRelation(tx, senderId, recipientId, { shouldLock: true });
    // Same response for a hidden person and one who does not exist.
    if (!relation) throw new ProblemError('not-found');
    requireAcceptsMessages(relation);
    if (relation.isSenderNew) await limiter.requireAttempt(tx, 'contactByNewSender', senderId);
    await requireMessageAttempt(limiter, tx, senderId, recipientId);
    const { id: messageId } = await tx
      .insertInto('messages')
      .values({ sender_id: senderId, recipient_id: recipientId })
      .returning('id')
      .executeTakeFirstOrThrow();
    await messageMailJob.queue(tx, { senderId, recipientId, messageId, ...message });
  });
}

/** All reasons on the recipient's side have the same message. @throws ProblemError permission-denied */
function requireAcceptsMessages(relation: Relation): void {
  if (relation.hasSenderBlocked) throw createRefusal('You blocked this person. Unblock them to send a message.');
  if (getOwnReach(relation) === 'hidden')
    throw createRefusal('Your profile is hidden from members. Show them your name to send messages.');
  if (!acceptsMessages(relation)) throw createRefusal('This person does not accept messages.');
}

async function requireMessageAttempt(limiter: Limiter, tx: Db, senderId: string, recipientId: string): Promise<void> {
  await limiter.requireAttempt(tx, 'contactBySender', senderId);
  await limiter.requireAttempt(tx, 'contactByPair', senderId, recipientId);
  // Send the full window instead of the exact time, which would reveal when other people wrote to the recipient.
  if ((await limiter.countAttempt(tx, 'contactByRecipient', recipientId)) > 0)
    throw new ProblemError('auth/too-many-requests', {
      retryAfter: rateLimitRules.contactByRecipient.windowSeconds,
      limit: 'contactByRecipient',
    });
}

const createRefusal = (detail: string) => new ProblemError('permission-denied', { detail });
