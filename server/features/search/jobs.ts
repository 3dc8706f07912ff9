import type { Schedule } from '../../platform/jobs.ts';
import { countWordsJob } from '../../domain/vocabulary.ts';

export const searchSchedules: Schedule[] = [{ name: countWordsJob.name, cron: '13 2 * * *', isMadeUpFor: true }];
