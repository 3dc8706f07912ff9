import * as z from 'zod/mini';
import { type Schedule, defineJob, defineMailJob } from '#server/platform/jobs/define-job.ts';

const Parties = z.object({ senderId: z.string(), recipientId: z.string() });

/**
 * Mails a message. Only this job stores the text, until the mail is sent. The job contains no email addresses: the job
 * handler reads them when it runs.
 */
export const messageMailJob = defineMailJob(
  'contact:message-mail',
  // Absent in jobs from before the reports feature.
  z.extend(Parties, { messageId: z.optional(z.string()), text: z.string(), shareEmail: z.boolean() }),
  'bulk',
);
/** The mail does not contain the text, which is already deleted. */
export const undeliveredMailJob = defineMailJob('contact:undelivered-mail', Parties, 'normal');
export const reportUndeliveredJob = defineJob('contact:report-undelivered', z.unknown());
export const deleteOldMessagesJob = defineJob('contact:forget-messages', z.unknown());

export const contactSchedules: Schedule[] = [
  { job: reportUndeliveredJob, cron: '37 * * * *' },
  { job: deleteOldMessagesJob, cron: '42 * * * *', isAgeBased: true },
];

export const readParties = (payload: unknown): z.output<typeof Parties> | null =>
  Parties.safeParse(payload).data ?? null;
