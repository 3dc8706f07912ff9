import type { TaskList } from 'graphile-worker';
import { sql } from 'kysely';
import type { Context } from '../../domain/context.ts';
import { mailWords } from '../../domain/mail-words.ts';
import { deleteFailedJobsOf } from '../../platform/jobs.ts';
import { isClockSteady } from '../../platform/clock.ts';
import type { Mailer } from '../../platform/mail.ts';
import { forgetMessagesJob, messageMailJob } from './jobs.ts';
import { messageMail } from './mails.ts';
import { findRelation, mayWrite, reachOf } from './queries.ts';

/** Days for which it is kept who wrote to whom. */
const memory = 30;

/** What the worker does for this feature. */
export function contactTasks(context: Context, mailer: Mailer): TaskList {
  const { db } = context;
  const words = mailWords(context);

  return {
    ...messageMailJob.handle(async ({ senderId, recipientId, text, shareEmail }, attempt) => {
      const relation = await findRelation(db, senderId, recipientId);
      // Blocked, hidden, gone or switched off since it was written.
      if (!relation || !mayWrite(relation) || relation.senderName === null) return;
      const mail = messageMail(words, {
        to: relation.recipientEmail,
        senderId,
        senderName: relation.senderName,
        text,
        replyTo: shareEmail ? relation.senderEmail : null,
        isAnswerable: reachOf(relation) === 'open',
      });
      await mailer.send(mail, attempt);
    }),
    ...forgetMessagesJob.handle(async () => {
      // Not by night only, as the others: people's own words stand in them.
      await deleteFailedJobsOf(db, messageMailJob);
      if (!(await isClockSteady(db))) return;
      await db
        .deleteFrom('messages')
        .where('sent_at', '<', sql<Date>`now() - make_interval(days => ${memory})`)
        .execute();
    }),
  };
}
