import * as z from 'zod/mini';
import { type Schedule, defineJob } from '../../platform/jobs/define-job.ts';

export const deleteOldReportsJob = defineJob('reports:delete-old', z.unknown());

export const reportSchedules: Schedule[] = [
  { job: deleteOldReportsJob, cron: '57 3 * * *', shouldCatchUp: true, isAgeBased: true },
];
