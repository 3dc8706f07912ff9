import * as z from 'zod/mini';
import { type Schedule, defineJob, defineMailJob } from '../../platform/jobs.ts';

/** The one place where a message's text stands, and only until its mail is out. No address: those are asked for then. */
export const messageMailJob = defineMailJob(
  'contact:message-mail',
  z.object({ senderId: z.string(), recipientId: z.string(), text: z.string(), shareEmail: z.boolean() }),
  'whenever',
);
export const forgetMessagesJob = defineJob('contact:forget-messages', z.unknown());

export const contactSchedules: Schedule[] = [{ name: forgetMessagesJob.name, cron: '37 * * * *' }];
