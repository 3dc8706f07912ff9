import * as z from 'zod/mini';
import { type Schedule, defineJob } from '../../platform/jobs.ts';

/*
 * A code is made when its mail is sent (`tasks.ts`), not when it is asked for: so no code ever stands in the queue's
 * table, and a request for a reset does not have to look anybody up.
 */

/** What somebody hears of by mail. */
export const factorChanges = [
  'taken-away',
  'authenticator-added',
  'authenticator-removed',
  'passkey-added',
  'passkey-removed',
  'recovery-codes-renewed',
  'recovery-code-used',
  'refused',
] as const;
export type FactorChange = (typeof factorChanges)[number];

const To = z.object({ accountId: z.string(), email: z.string() });

export const verificationMailJob = defineJob('identity:verification-mail', To);
export const changeEmailMailJob = defineJob('identity:change-email-mail', To);
export const recoverEmailJob = defineJob('identity:recover-email-mail', To);
export const resetMailJob = defineJob('identity:reset-mail', z.object({ email: z.string() }));
export const takenBackJob = defineJob('identity:taken-back-mail', z.object({ email: z.string() }));
export const passwordChangedJob = defineJob('identity:password-changed-mail', z.object({ email: z.string() }));
export const newDeviceJob = defineJob('identity:new-device-mail', z.object({ email: z.string(), device: z.string() }));
export const factorChangedJob = defineJob(
  'identity:factor-changed-mail',
  z.object({
    email: z.string(),
    change: z.enum(factorChanges),
    /** The name of a passkey, or how many recovery codes are left; else empty. */
    detail: z.string(),
    /** Whether anything is asked for beside the password from now on. */
    isOn: z.boolean(),
  }),
);
export const accountDeletedJob = defineJob('identity:account-deleted-mail', z.object({ email: z.string() }));
export const cleanUpJob = defineJob('identity:clean-up', z.unknown());
export const forgetAttemptsJob = defineJob('identity:forget-attempts', z.unknown());

export const identitySchedules: Schedule[] = [
  { name: cleanUpJob.name, cron: '17 3 * * *' },
  { name: forgetAttemptsJob.name, cron: '7 * * * *' },
];
