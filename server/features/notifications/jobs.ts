import * as z from 'zod/mini';
import { type Schedule, defineJob } from '../../platform/jobs/define-job.ts';

export const forgetNotificationsJob = defineJob('notifications:forget', z.unknown());

export const notificationSchedules: Schedule[] = [
  { job: forgetNotificationsJob, cron: '47 3 * * *', isMadeUpFor: true, needsSteadyClock: true },
];
