import * as z from 'zod/mini';
import { type Schedule, defineJob } from '../../platform/jobs.ts';

export const removePicturesJob = defineJob('profile:remove-pictures', z.unknown());

export const profileSchedules: Schedule[] = [{ name: removePicturesJob.name, cron: '37 3 * * *' }];
