import type { Schedule } from '#server/platform/jobs/define-job.ts';
import { recountWordsJob } from '#server/domain/search/vocabulary.ts';

export const searchSchedules: Schedule[] = [{ job: recountWordsJob, cron: '13 2 * * *', shouldCatchUp: true }];
