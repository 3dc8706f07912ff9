import { sql } from 'kysely';
import { confirmReportHours } from '#contract/report-values.ts';
import type { Context } from '#server/domain/context.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { deleteTakenDownPhotos, endDueSuspensions } from '#server/domain/staff/moderation.ts';
import { moderationMailJob } from '#server/domain/staff/moderation-notices.ts';
import { removeUnusedPictures } from '#server/domain/people/pictures.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import type { Mailer } from '#server/platform/mail/mail.ts';
import { issueConfirmCode } from './confirm-report.ts';
import { confirmReportMailJob, deleteOldReportsJob, endSuspensionsJob, reportOutcomeMailJob } from './jobs.ts';
import { composeConfirmReport, composeModerationNotice, composeReportOutcome } from './mails.ts';

const closedReportTtlDays = 180;

export function reportTasks(context: Context, mailer: Mailer): JobHandlers {
  const { db, limiter } = context;
  const branding = createMailBranding(context);
  return {
    ...moderationMailJob.handle(async (notice, attempt) => {
      const account = await db
        .selectFrom('accounts')
        .select('email')
        .where('id', '=', notice.accountId)
        .where('email_verified', '=', true)
        // A suspended account gets the mail, which says how to object.
        .where('disabled_at', 'is', null)
        .where('deletes_at', 'is', null)
        .executeTakeFirst();
      if (account) await mailer.send(composeModerationNotice(branding, account.email, notice), attempt);
    }),
    ...confirmReportMailJob.handle(async ({ reportId }, attempt) => {
      const issued = await issueConfirmCode(db, reportId);
      // The answer to the guest does not depend on this limit, so it does not show how often an address was entered.
      if (!issued || (await limiter.countAttempt(db, 'reportMailByRecipient', issued.email)) > 0) return;
      try {
        await mailer.send(composeConfirmReport(branding, issued.email, issued.code), attempt);
      } catch (error) {
        // The next attempt creates another code.
        await limiter.refundAttempt(db, 'reportMailByRecipient', issued.email);
        throw error;
      }
    }),
    ...reportOutcomeMailJob.handle(async ({ reportId }, attempt) => {
      const report = await db
        .selectFrom('reports')
        .select(['guest_email as email', 'outcome'])
        .where('id', '=', reportId)
        .where('is_confirmed', '=', true)
        .executeTakeFirst();
      if (!report?.email || report.outcome === null) return;
      await mailer.send(composeReportOutcome(branding, report.email, report.outcome !== 'nothing'), attempt);
    }),
    ...deleteOldReportsJob.handle(async () => {
      await db
        .deleteFrom('reports')
        .where('closed_at', '<', sql<Date>`now() - make_interval(days => ${closedReportTtlDays})`)
        .execute();
      await db
        .deleteFrom('reports')
        .where('is_confirmed', '=', false)
        .where('created_at', '<', sql<Date>`now() - make_interval(hours => ${confirmReportHours})`)
        .execute();
      await removeUnusedPictures(context, await deleteTakenDownPhotos(db));
    }),
    ...endSuspensionsJob.handle(async () => {
      if ((await endDueSuspensions(db)) > 0) context.listCache.clear();
    }),
  };
}
