import { sql } from 'kysely';
import type { Context } from '../../domain/context.ts';
import { createMailBranding } from '../../domain/mail-branding.ts';
import { type JobHandlers, takeFailedJobs } from '../../platform/jobs/define-job.ts';
import type { Mailer } from '../../platform/mail/mail.ts';
import { deleteOldMessagesJob, messageMailJob, readParties, reportUndeliveredJob, undeliveredMailJob } from './jobs.ts';
import { messageMail, undeliveredMail } from './mails.ts';
import { findRelation, canWrite, getOwnReach } from './queries.ts';
import { issueReportCode } from './report-code.ts';

/** Days for which it is kept who wrote to whom. */
const messageRecordDays = 30;

/** What the worker does for this feature. */
export function contactTasks(context: Context, mailer: Mailer): JobHandlers {
  const { db } = context;
  const branding = createMailBranding(context);

  return {
    ...messageMailJob.handle(async ({ senderId, recipientId, messageId, text, shareEmail }, attempt) => {
      const relation = await findRelation(db, senderId, recipientId);
      // Blocked, hidden, gone or switched off since it was written.
      if (!relation || !canWrite(relation) || relation.senderName === null) return;
      const mail = messageMail(branding, {
        to: relation.recipientEmail,
        senderId,
        senderName: relation.senderName,
        text,
        replyTo: shareEmail ? relation.senderEmail : null,
        isAnswerable: getOwnReach(relation) === 'open',
        reportCode: messageId === undefined ? null : await issueReportCode(db, messageId),
      });
      await mailer.send(mail, attempt);
    }),
    ...undeliveredMailJob.handle(async ({ senderId, recipientId }, attempt) => {
      const relation = await findRelation(db, senderId, recipientId);
      // As when the message itself goes out: whether this mail comes tells nobody of a block.
      if (!relation || !canWrite(relation)) return;
      const { senderEmail: to, recipientName } = relation;
      await mailer.send(undeliveredMail(branding, { to, recipientId, recipientName }), attempt);
    }),
    ...reportUndeliveredJob.handle(async () => {
      await db.transaction().execute(async (tx) => {
        for (const lost of await takeFailedJobs(tx, messageMailJob)) {
          const parties = readParties(lost);
          if (parties) await undeliveredMailJob.queue(tx, parties);
        }
      });
    }),
    ...deleteOldMessagesJob.handle(async () => {
      await db
        .deleteFrom('messages')
        .where('sent_at', '<', sql<Date>`now() - make_interval(days => ${messageRecordDays})`)
        .execute();
    }),
  };
}
