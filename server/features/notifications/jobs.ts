import * as z from 'zod/mini';
import { type Schedule, defineJob } from '#server/platform/jobs/define-job.ts';

export const deleteOldNotificationsJob = defineJob('notifications:forget', z.unknown());

export const notificationSchedules: Schedule[] = [
  { job: deleteOldNotificationsJob, cron: '47 3 * * *', shouldCatchUp: true, isAgeBased: true },
];
