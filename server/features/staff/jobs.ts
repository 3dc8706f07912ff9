import * as z from 'zod/mini';
import { staffRoles } from '#contract/staff-values.ts';
import { type Schedule, defineJob, defineMailJob } from '../../platform/jobs/define-job.ts';

/** Emails an account about its role: granted, removed, or ending in 30 days. */
export const roleMailJob = defineMailJob(
  'staff:role-mail',
  z.object({ accountId: z.string(), role: z.enum(staffRoles), event: z.enum(['granted', 'removed', 'ends-soon']) }),
  'normal',
);

/** Requests the mails before roles end. */
export const endingRolesJob = defineJob('staff:ending-roles', z.unknown());

/** Writes the last hash of the audit log to the operator log. */
export const logAuditHeadJob = defineJob('staff:log-audit-head', z.unknown());

export const staffSchedules: Schedule[] = [
  { job: endingRolesJob, cron: '27 5 * * *', shouldCatchUp: true, isAgeBased: true },
  { job: logAuditHeadJob, cron: '7 5 * * *', shouldCatchUp: true },
];
