import * as z from 'zod/mini';
import { noticeMailKinds } from '#server/db/schema.ts';
import { JournalEntry } from '#server/domain/accounts/deletion-journal.ts';
import {
  type Schedule,
  defineJob,
  defineMailJob,
  wholeArchiveTimeoutSeconds,
} from '#server/platform/jobs/define-job.ts';

/*
 * A code is created when its mail is sent (`tasks.ts`), not when the mail is requested. So the table of the queue never
 * contains a code, and a request for a password reset does not look up the account.
 */

export const factorChanges = [
  'taken-away',
  'reset-by-office',
  'authenticator-added',
  'authenticator-removed',
  'passkey-added',
  'passkey-removed',
  'recovery-codes-renewed',
  'recovery-code-used',
  'campus-connected',
  'campus-disconnected',
  'refused',
  'campus-refused',
] as const;
export type FactorChange = (typeof factorChanges)[number];

const AccountMail = z.object({ accountId: z.string(), email: z.string() });

export const verificationMailJob = defineMailJob('identity:verification-mail', AccountMail, 'awaited');
export const changeEmailMailJob = defineMailJob('identity:change-email-mail', AccountMail, 'awaited');
/** `email`: the address that staff want to give to the account. */
export const addressRequestMailJob = defineMailJob('identity:address-request-mail', AccountMail, 'normal');
export const recoverEmailMailJob = defineMailJob('identity:recover-email-mail', AccountMail, 'normal');
export const resetMailJob = defineMailJob('identity:reset-mail', z.object({ email: z.string() }), 'awaited');
export const addressReclaimedJob = defineMailJob('identity:taken-back-mail', z.object({ email: z.string() }), 'normal');
export const passwordChangedJob = defineMailJob(
  'identity:password-changed-mail',
  z.object({ email: z.string() }),
  'normal',
);
export const newDeviceJob = defineMailJob(
  'identity:new-device-mail',
  z.object({ email: z.string(), device: z.string() }),
  'normal',
);
export const factorChangedJob = defineMailJob(
  'identity:factor-changed-mail',
  z.object({
    email: z.string(),
    change: z.enum(factorChanges),
    /** Name of a passkey, or number of remaining recovery codes; otherwise empty. */
    detail: z.string(),
    isOn: z.boolean(),
  }),
  'normal',
);
export const pendingDeletionMailJob = defineMailJob(
  'identity:deletion-mail',
  z.object({
    ...AccountMail.shape,
    isByOffice: z.optional(z.literal(true)),
  }),
  'normal',
);
export const signedOutMailJob = defineMailJob('identity:signed-out-mail', z.object({ email: z.string() }), 'normal');
export const accountDeletedJob = defineMailJob(
  'identity:account-deleted-mail',
  z.object({ email: z.string() }),
  'normal',
);
/** Writes an entry of the deletion journal if the process ended between the deletion and that write. */
export const journalDeletionJob = defineJob('identity:note-deletion', JournalEntry);
export const journalCancellationJob = defineJob(
  'identity:note-return',
  z.object({ accountId: z.string(), at: z.iso.datetime() }),
);
export const noticeMailJob = defineMailJob(
  'identity:notice-mail',
  z.object({ accountId: z.string(), kind: z.enum(noticeMailKinds) }),
  'bulk',
);
export const sendNoticesJob = defineJob('identity:send-notices', z.unknown());
export const nightlyCleanUpJob = defineJob('identity:clean-up', z.unknown(), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});
export const hideUnusedJob = defineJob('identity:hide-unused', z.unknown(), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});
export const gracePeriodsJob = defineJob('identity:grace-periods', z.unknown(), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});
export const hourlyCleanUpJob = defineJob('identity:forget-attempts', z.unknown());

export const identitySchedules: Schedule[] = [
  { job: nightlyCleanUpJob, cron: '17 3 * * *', shouldCatchUp: true, isAgeBased: true },
  { job: hideUnusedJob, cron: '27 3 * * *', shouldCatchUp: true, isAgeBased: true },
  { job: hourlyCleanUpJob, cron: '7 * * * *' },
  { job: gracePeriodsJob, cron: '*/10 * * * *', isAgeBased: true },
];
