import type { Schedule } from '../../platform/jobs/define-job.ts';
import { recountWordsJob } from '../../domain/vocabulary.ts';

export const searchSchedules: Schedule[] = [{ job: recountWordsJob, cron: '13 2 * * *', shouldCatchUp: true }];
