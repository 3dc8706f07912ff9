import type { Schedule } from '../../platform/jobs/define-job.ts';
import { countWordsJob } from '../../domain/vocabulary.ts';

export const searchSchedules: Schedule[] = [{ job: countWordsJob, cron: '13 2 * * *', shouldCatchUp: true }];
