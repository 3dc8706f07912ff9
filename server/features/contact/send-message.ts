import type { Message } from '#contract/contact.ts';
import type { Db } from '../../db/client.ts';
import type { Context } from '../../domain/context.ts';
import { type Limiter, rateLimitRules } from '../../platform/limits/rate-limits.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { messageMailJob } from './jobs.ts';
import { type Relation, findRelation, acceptsMessages, getOwnReach } from './queries.ts';

/**
 * Queues the mail with a message, and notes who wrote to whom; the text stands in the queue alone. What is refused counts
 * for no limit.
 * @throws ProblemError not-found, permission-denied, auth/too-many-requests
 */
export async function sendMessage(
  { db, limiter }: Context,
  senderId: string,
  recipientId: string,
  message: Message,
): Promise<void> {
  if (senderId === recipientId) throw createRefusal('Write to somebody else.');
  await db.transaction().execute(async (tx) => {
    const relation = await findRelation(tx, senderId, recipientId, { shouldLock: true });
    // A person whom members do not see answers like one who does not exist.
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

/** First what the sender has decided themselves; then one answer for whatever the recipient has. */
function requireAcceptsMessages(relation: Relation): void {
  if (relation.hasSenderBlocked) throw createRefusal('You have blocked this person. Unblock them to write.');
  if (getOwnReach(relation) === 'hidden') throw createRefusal('Members do not see you. Show them your name to write.');
  if (!acceptsMessages(relation)) throw createRefusal('This person takes no messages.');
}

async function requireMessageAttempt(limiter: Limiter, tx: Db, senderId: string, recipientId: string): Promise<void> {
  await limiter.requireAttempt(tx, 'contactBySender', senderId);
  await limiter.requireAttempt(tx, 'contactByPair', senderId, recipientId);
  // Not when exactly: that would say when others have written to them.
  if ((await limiter.countAttempt(tx, 'contactByRecipient', recipientId)) > 0)
    throw new ProblemError('auth/too-many-requests', {
      retryAfter: rateLimitRules.contactByRecipient.seconds,
      limit: 'contactByRecipient',
    });
}

const createRefusal = (detail: string) => new ProblemError('permission-denied', { detail });
