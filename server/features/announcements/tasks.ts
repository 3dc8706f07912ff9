import { sql } from 'kysely';
import { bulkBatchDelaySeconds, bulkBatchSize } from '#contract/bulk-mails.ts';
import type { Context } from '#server/domain/context.ts';
import { findActiveAddress } from '#server/domain/accounts/accounts.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import { AddressRefused, type Mailer } from '#server/platform/mail/mail.ts';
import { announcementMailJob, announcementTestJob, scheduledAnnouncementJob, sendAnnouncementsJob } from './jobs.ts';
import { composeAnnouncement } from './mails.ts';
import { type RecipientName, takesAnnouncements } from './recipients.ts';
import { sendScheduled } from './send.ts';
import { issueUnsubscribeCode } from './unsubscribe.ts';

interface Recipient extends RecipientName {
  readonly id: string;
  readonly email: string;
  readonly subject: string;
  readonly text: string;
  readonly replyName: string;
  readonly isWanted: boolean;
}

/** Sends announcements in batches, each mail once. Announcements that are sent at the same time share the batches. */
export function announcementTasks(context: Context, mailer: Mailer): JobHandlers {
  const { db } = context;
  const branding = createMailBranding(context);
  const address = /<([^<>]+)>$/u.exec(context.config.mail.from)?.[1] ?? context.config.mail.from;
  const replyTo = (name: string) => name !== '' && { replyTo: { name, address } };
  const finish = (id: string, result: 'sent' | 'bounced' | 'left-out') =>
    sql`update announcement_recipients set result = ${result}, done_at = now() where id = ${id}`.execute(db);
  return {
    ...sendAnnouncementsJob.handle(async () => {
      await db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ announcementId: string; accountId: string }>`
          update announcement_recipients as r set queued_at = now()
          from (select w.id from announcement_recipients w join (
                  select r.id, row_number() over (partition by n.id order by r.id) as turn, n.started_at
                  from announcement_recipients r join announcements n on n.id = r.announcement_id
                  where r.queued_at is null and n.state = 'sending') as waiting on waiting.id = w.id
                where w.queued_at is null
                order by waiting.turn, waiting.started_at, w.id limit ${bulkBatchSize} for update of w skip locked) as due
          where r.id = due.id
          returning r.announcement_id as "announcementId", r.account_id as "accountId"`.execute(tx);
        for (const recipient of rows) await announcementMailJob.queue(tx, recipient);
        await sql`
          update announcements n set state = 'sent', finished_at = now()
          where n.state = 'sending' and not exists (
            select from announcement_recipients r where r.announcement_id = n.id and r.queued_at is null)`.execute(tx);
        if (rows.length === bulkBatchSize)
          await sendAnnouncementsJob.queue(tx, {}, { key: 'next', delaySeconds: bulkBatchDelaySeconds });
      });
    }),
    ...scheduledAnnouncementJob.handle((job) => sendScheduled(context, job)),
    ...announcementTestJob.handle(async ({ announcementId, accountId }, attempt) => {
      const { rows } = await sql<Pick<Recipient, 'subject' | 'text' | 'replyName'> & RecipientName>`
        select n.subject, n.text, n.reply_name as "replyName", coalesce(p.first_name, 'First name') as "firstName",
          coalesce(p.last_name, 'Last name') as "lastName"
        from announcements n left join profiles p on p.account_id = ${accountId}
        where n.id = ${announcementId}`.execute(db);
      const to = await findActiveAddress(db, accountId);
      const [draft] = rows;
      if (!draft || to === null) return;
      const { subject, text, replyName, ...name } = draft;
      const mail = composeAnnouncement(branding, to, { subject: `Test: ${subject}`, text, name }, null);
      await mailer.send({ ...mail, ...replyTo(replyName) }, attempt);
    }),
    ...announcementMailJob.handle(async ({ announcementId, accountId }, attempt) => {
      const { rows } = await sql<Recipient>`
        select r.id, a.email, n.subject, n.text, n.reply_name as "replyName", p.first_name as "firstName", p.last_name as "lastName",
          ${takesAnnouncements} as "isWanted"
        from announcement_recipients r join announcements n on n.id = r.announcement_id
          join accounts a on a.id = r.account_id join profiles p on p.account_id = a.id
        where r.announcement_id = ${announcementId} and r.account_id = ${accountId} and r.result is null
          and n.state in ('sending', 'sent')`.execute(db);
      // The mail was sent by an earlier attempt, or the sending was stopped, or the account was deleted.
      const [recipient] = rows;
      if (!recipient) return;
      const { id, email, subject, text, replyName, isWanted, ...name } = recipient;
      // The recipient has unsubscribed or is no longer a member since the sending began.
      if (!isWanted) {
        await finish(id, 'left-out');
        return;
      }
      const mail = composeAnnouncement(branding, email, { subject, text, name }, await issueUnsubscribeCode(db, id));
      try {
        await mailer.send({ ...mail, ...replyTo(replyName) }, attempt);
      } catch (error) {
        if (error instanceof AddressRefused) await finish(id, 'bounced');
        throw error;
      }
      await finish(id, 'sent');
    }),
  };
}
