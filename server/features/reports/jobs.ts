import * as z from 'zod/mini';
import { type Schedule, defineJob, defineMailJob } from '#server/platform/jobs/define-job.ts';

export const confirmReportMailJob = defineMailJob(
  'reports:confirm-mail',
  z.object({ reportId: z.string() }),
  'awaited',
);

export const reportOutcomeMailJob = defineMailJob('reports:outcome-mail', z.object({ reportId: z.string() }), 'normal');

export const deleteOldReportsJob = defineJob('reports:delete-old', z.unknown());

export const endSuspensionsJob = defineJob('reports:end-suspensions', z.unknown());

export const reportSchedules: Schedule[] = [
  { job: deleteOldReportsJob, cron: '57 3 * * *', shouldCatchUp: true, isAgeBased: true },
  { job: endSuspensionsJob, cron: '*/10 * * * *', isAgeBased: true },
];
