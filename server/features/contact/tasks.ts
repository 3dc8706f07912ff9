import { sql } from 'kysely';
import type { Context } from '#server/domain/context.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { type JobHandlers, takeFailedJobs } from '#server/platform/jobs/define-job.ts';
import type { Mailer } from '#server/platform/mail/mail.ts';
import { deleteOldMessagesJob, messageMailJob, readParties, reportUndeliveredJob, undeliveredMailJob } from './jobs.ts';
import { composeMessageMail, composeUndeliveredMail } from './mails.ts';
import { findRelation, canWrite, getOwnReach, isRecipientEmailVisible } from './queries.ts';
import { issueReportCode } from './report-code.ts';

const messageRecordTtlDays = 30;

export function contactTasks(context: Context, mailer: Mailer): JobHandlers {
  const { db } = context;
  const branding = createMailBranding(context);

  return {
    ...messageMailJob.handle(async ({ senderId, recipientId, messageId, text, shareEmail }, attempt) => {
      const relation = await findRelation(db, senderId, recipientId);
      // After the message was queued, the sender or recipient was blocked, hidden, deleted or disabled, or turned
      // messages off.
      if (!relation || !canWrite(relation) || relation.senderName === null) return;
      const mail = composeMessageMail(branding, {
        to: relation.recipientEmail,
        senderId,
        senderName: relation.senderName,
        text,
        replyTo: shareEmail ? relation.senderEmail : null,
        isAnswerable: getOwnReach(relation) === 'open',
        isEmailOnProfile: isRecipientEmailVisible(relation),
        reportCode: messageId === undefined ? null : await issueReportCode(db, messageId),
      });
      await mailer.send(mail, attempt);
    }),
    ...undeliveredMailJob.handle(async ({ senderId, recipientId }, attempt) => {
      const relation = await findRelation(db, senderId, recipientId);
      // The same check as for the message itself, so that this mail does not reveal a block.
      if (!relation || !canWrite(relation)) return;
      const { senderEmail: to, recipientName } = relation;
      await mailer.send(composeUndeliveredMail(branding, { to, recipientId, recipientName }), attempt);
    }),
    ...reportUndeliveredJob.handle(async () => {
      await db.transaction().execute(async (tx) => {
        for (const payload of await takeFailedJobs(tx, messageMailJob)) {
          const parties = readParties(payload);
          if (parties) await undeliveredMailJob.queue(tx, parties);
        }
      });
    }),
    ...deleteOldMessagesJob.handle(async () => {
      await db
        .deleteFrom('messages')
        .where('sent_at', '<', sql<Date>`now() - make_interval(days => ${messageRecordTtlDays})`)
        .execute();
    }),
  };
}
