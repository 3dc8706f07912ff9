import * as z from 'zod/mini';
import { type Schedule, defineJob } from '../../platform/jobs.ts';

/*
 * A code is made when its mail is sent (`tasks.ts`), not when it is asked for: so no code ever stands in the queue's
 * table, and a request for a reset does not have to look anybody up.
 */

const To = z.object({ accountId: z.string(), email: z.string() });

export const verificationMailJob = defineJob('identity:verification-mail', To);
export const changeEmailMailJob = defineJob('identity:change-email-mail', To);
export const recoverEmailJob = defineJob('identity:recover-email-mail', To);
export const resetMailJob = defineJob('identity:reset-mail', z.object({ email: z.string() }));
export const takenBackJob = defineJob('identity:taken-back-mail', z.object({ email: z.string() }));
export const passwordChangedJob = defineJob('identity:password-changed-mail', z.object({ email: z.string() }));
export const accountDeletedJob = defineJob('identity:account-deleted-mail', z.object({ email: z.string() }));
export const cleanUpJob = defineJob('identity:clean-up', z.unknown());
export const forgetAttemptsJob = defineJob('identity:forget-attempts', z.unknown());

export const identitySchedules: Schedule[] = [
  { name: cleanUpJob.name, cron: '17 3 * * *' },
  { name: forgetAttemptsJob.name, cron: '7 * * * *' },
];
