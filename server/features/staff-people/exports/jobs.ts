import * as z from 'zod/mini';
import { type Schedule, defineJob, wholeArchiveTimeoutSeconds } from '../../../platform/jobs/define-job.ts';

/** Makes the file of an export. */
export const makeExportJob = defineJob('people:make-export', z.object({ exportId: z.string() }), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

/** Deletes the files of exports that have expired. */
export const deleteExportFilesJob = defineJob('people:delete-export-files', z.unknown());

export const staffPeopleSchedules: Schedule[] = [
  { job: deleteExportFilesJob, cron: '23 * * * *', shouldCatchUp: true },
];
