import * as z from 'zod/mini';
import { type Schedule, defineJob, defineMailJob } from '../../platform/jobs/define-job.ts';

const Parties = z.object({ senderId: z.string(), recipientId: z.string() });

/** The one place where a message's text stands, and only until its mail is out. No address: those are asked for then. */
export const messageMailJob = defineMailJob(
  'contact:message-mail',
  // Absent in jobs that were queued before reports existed.
  z.extend(Parties, { messageId: z.optional(z.string()), text: z.string(), shareEmail: z.boolean() }),
  'bulk',
);
/** Tells a sender that their message has not got through. It says nothing of the text: that is gone. */
export const undeliveredMailJob = defineMailJob('contact:undelivered-mail', Parties, 'normal');
/** Deletes messages that failed for good, and reports them to their senders. */
export const reportUndeliveredJob = defineJob('contact:report-undelivered', z.unknown());
export const deleteOldMessagesJob = defineJob('contact:forget-messages', z.unknown());

export const contactSchedules: Schedule[] = [
  { job: reportUndeliveredJob, cron: '37 * * * *' },
  { job: deleteOldMessagesJob, cron: '42 * * * *', isAgeBased: true },
];

/** Between whom a message was, whatever else stood with it; null where that cannot be read. */
export const readParties = (payload: unknown): z.output<typeof Parties> | null =>
  Parties.safeParse(payload).data ?? null;
