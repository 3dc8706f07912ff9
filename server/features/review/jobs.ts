import * as z from 'zod/mini';
import { type Schedule, defineJob, defineMailJob } from '#server/platform/jobs/define-job.ts';

export const carryOutDecisionJob = defineJob('review:carry-out', z.object({ decisionId: z.string() }), {
  // A member of staff waits for the result.
  priority: 5,
});

export const waitingMailsJob = defineJob('review:waiting-mails', z.unknown());

export const waitingMailJob = defineMailJob('review:waiting-mail', z.object({ accountId: z.string() }), 'normal');

export const reviewSchedules: Schedule[] = [{ job: waitingMailsJob, cron: '41 6 * * *', shouldCatchUp: true }];
