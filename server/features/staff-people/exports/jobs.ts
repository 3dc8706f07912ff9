import * as z from 'zod/mini';
import {
  type Schedule,
  defineJob,
  defineMailJob,
  wholeArchiveTimeoutSeconds,
} from '#server/platform/jobs/define-job.ts';

export const makeExportJob = defineJob('people:make-export', z.object({ exportId: z.string() }), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

export const exportMailJob = defineMailJob('people:export-mail', z.object({ exportId: z.string() }), 'normal');

export const deleteExportFilesJob = defineJob('people:delete-export-files', z.unknown());

export const staffPeopleSchedules: Schedule[] = [
  { job: deleteExportFilesJob, cron: '23 * * * *', shouldCatchUp: true },
];
