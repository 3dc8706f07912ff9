import * as z from 'zod/mini';
import {
  type Schedule,
  defineJob,
  defineMailJob,
  wholeArchiveTimeoutSeconds,
} from '#server/platform/jobs/define-job.ts';

/** Makes the file of an export. */
export const makeExportJob = defineJob('people:make-export', z.object({ exportId: z.string() }), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

/** Mails the requester that an export is ready, or could not be made. */
export const exportMailJob = defineMailJob('people:export-mail', z.object({ exportId: z.string() }), 'normal');

/** Deletes the files of exports that have expired. */
export const deleteExportFilesJob = defineJob('people:delete-export-files', z.unknown());

export const staffPeopleSchedules: Schedule[] = [
  { job: deleteExportFilesJob, cron: '23 * * * *', shouldCatchUp: true },
];
