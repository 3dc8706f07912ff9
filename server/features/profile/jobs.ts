import * as z from 'zod/mini';
import { type Schedule, defineJob, wholeArchiveTimeoutSeconds } from '#server/platform/jobs/define-job.ts';

export const removePicturesJob = defineJob('profile:remove-pictures', z.unknown(), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

export const updateMinorsJob = defineJob('profile:update-minors', z.unknown(), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

export const askForCareersJob = defineJob('profile:ask-for-careers', z.unknown());

export const profileSchedules: Schedule[] = [
  { job: removePicturesJob, cron: '37 3 * * *', shouldCatchUp: true, isAgeBased: true },
  { job: askForCareersJob, cron: '17 8 * * *', shouldCatchUp: true },
  // Soon after a day has begun in every time zone (UTC-12).
  { job: updateMinorsJob, cron: '5 12 * * *', shouldCatchUp: true },
];
