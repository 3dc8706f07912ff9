import * as z from 'zod/mini';
import { importSteps } from '#contract/roster-values.ts';
import {
  type Schedule,
  defineJob,
  defineMailJob,
  wholeArchiveTimeoutSeconds,
} from '#server/platform/jobs/define-job.ts';

/**
 * `checkedAt` is for the step `apply`: when the check ended whose warnings staff confirmed. `accountId`: who applies or
 * undoes the import.
 */
export const rosterStepJob = defineJob(
  'roster:step',
  z.object({
    importId: z.int(),
    step: z.enum(importSteps),
    checkedAt: z.optional(z.string()),
    accountId: z.optional(z.string()),
  }),
  { timeoutSeconds: wholeArchiveTimeoutSeconds },
);

export const deleteRosterFilesJob = defineJob('roster:delete-old-files', z.unknown());

/** The handler reads the address, and creates the code. */
export const invitationMailJob = defineMailJob('roster:invitation-mail', z.object({ id: z.string() }), 'bulk');

export const rosterSchedules: Schedule[] = [
  { job: deleteRosterFilesJob, cron: '37 4 * * *', shouldCatchUp: true, isAgeBased: true },
];
