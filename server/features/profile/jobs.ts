import * as z from 'zod/mini';
import { type Schedule, defineJob, wholeArchive } from '../../platform/jobs/define-job.ts';

export const removePicturesJob = defineJob('profile:remove-pictures', z.unknown(), { seconds: wholeArchive });

export const updateMinorsJob = defineJob('profile:update-minors', z.unknown(), { seconds: wholeArchive });

export const profileSchedules: Schedule[] = [
  { job: removePicturesJob, cron: '37 3 * * *', isMadeUpFor: true, needsSteadyClock: true },
  // Soon after a day has begun everywhere (UTC-12).
  { job: updateMinorsJob, cron: '5 12 * * *', isMadeUpFor: true },
];
