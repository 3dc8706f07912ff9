import * as z from 'zod/mini';
import { countFrequenciesJob } from '#server/domain/roster/frequencies.ts';
import { type Schedule, defineJob, defineMailJob } from '#server/platform/jobs/define-job.ts';

/**
 * Mails a code to the address of the entry that the payload names, if there is one. The handler looks up the entry, so
 * that the request does the same work in each case.
 */
export const mailedCodeJob = defineMailJob(
  'membership:mailed-code-mail',
  z.object({ accountId: z.string(), matricNumber: z.string(), dob: z.string() }),
  'awaited',
);

export const refusedRequestsMailJob = defineMailJob(
  'membership:refused-requests-mail',
  z.object({ accountId: z.string(), matricNumber: z.string() }),
  'normal',
);

/**
 * Compares a pending claim with the roster, for staff, and records its dispute if its evidence is for an entry that
 * another account holds by equally strong evidence. Queued for every pending claim, so that the request does the same
 * work in each case.
 */
export const reviewClaimJob = defineJob(
  'membership:review-claim',
  z.object({ accountId: z.string(), contestedEntryId: z.nullable(z.int()) }),
);

export const askEntryMailJob = defineMailJob(
  'membership:ask-entry-mail',
  z.object({ accountId: z.string(), entryId: z.int() }),
  'normal',
);

export const vouchMailJob = defineMailJob('membership:vouch-mail', z.object({ accountId: z.string() }), 'normal');

export const questionMailJob = defineMailJob(
  'membership:question-mail',
  z.object({ questionId: z.string() }),
  'normal',
);

export const cleanUpClaimsJob = defineJob('membership:clean-up', z.unknown());

export const membershipSchedules: Schedule[] = [
  { job: countFrequenciesJob, cron: '23 2 * * *', shouldCatchUp: true },
  { job: cleanUpClaimsJob, cron: '47 3 * * *', shouldCatchUp: true, isAgeBased: true },
];
