import * as z from 'zod/mini';
import { staffRoles } from '#contract/staff/values.ts';
import { acceptInvitationsJob } from '#server/domain/staff/invitations.ts';
import { type Schedule, defineJob, defineMailJob } from '#server/platform/jobs/define-job.ts';

const roleMailFields = { accountId: z.string(), role: z.enum(staffRoles) };

const RoleMail = z.discriminatedUnion('event', [
  z.object({ ...roleMailFields, event: z.enum(['granted', 'removed']) }),
  z.object({ ...roleMailFields, event: z.literal('ends-soon'), lastDay: z.iso.date() }),
]);

/** `lastDay` of the role, in ISO 8601. */
export type RoleMail = z.output<typeof RoleMail>;

export const roleMailJob = defineMailJob('staff:role-mail', RoleMail, 'normal');

export const invitationMailJob = defineMailJob(
  'staff:invitation-mail',
  z.object({ invitationId: z.string() }),
  'normal',
);

export const newStaffMailJob = defineMailJob(
  'staff:new-staff-mail',
  z.object({ accountId: z.string(), grantee: z.string(), grantedBy: z.string(), role: z.enum(staffRoles) }),
  'normal',
);

export const endingRolesJob = defineJob('staff:ending-roles', z.unknown());

export const requestsWithoutApproverJob = defineJob('staff:requests-without-approver', z.unknown());

export const logAuditHeadJob = defineJob('staff:log-audit-head', z.unknown());

export const auditHeadMailsJob = defineJob('staff:audit-head-mails', z.unknown());

export const auditHeadMailJob = defineMailJob(
  'staff:audit-head-mail',
  z.object({ accountId: z.string(), records: z.number(), hash: z.string() }),
  'normal',
);

export const staffSchedules: Schedule[] = [
  { job: endingRolesJob, cron: '27 5 * * *', shouldCatchUp: true, isAgeBased: true },
  // For accounts that were restored, or verified while they were invited.
  { job: acceptInvitationsJob, cron: '47 * * * *' },
  { job: requestsWithoutApproverJob, cron: '37 * * * *' },
  { job: auditHeadMailsJob, cron: '17 6 * * 1', shouldCatchUp: true },
  { job: logAuditHeadJob, cron: '7 5 * * *', shouldCatchUp: true },
];
