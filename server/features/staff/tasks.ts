import { sql } from 'kysely';
import type { StaffRole } from '#contract/staff/values.ts';
import { findActiveAddress } from '#server/domain/accounts/accounts.ts';
import type { Context } from '#server/domain/context.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import {
  type ApprovedAction,
  approvalMailJob,
  approvalOutcomeMailJob,
  approvedActionJob,
  findApprovals,
  scheduleRequestsWithoutApprover,
  runApproved,
} from '#server/domain/staff/approvals.ts';
import { findAuditHead } from '#server/domain/staff/audit-log.ts';
import { acceptInvitationsJob } from '#server/domain/staff/invitations.ts';
import { lockOwners } from '#server/domain/staff/roles.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import { logAuditHead } from '#server/platform/log/operator-log.ts';
import type { Mailer } from '#server/platform/mail/mail.ts';
import {
  auditHeadMailJob,
  auditHeadMailsJob,
  endingRolesJob,
  invitationMailJob,
  logAuditHeadJob,
  newStaffMailJob,
  roleMailJob,
  requestsWithoutApproverJob,
} from './jobs.ts';
import { acceptInvitations, findInvitation } from './invitations.ts';
import {
  composeApprovalMail,
  composeAuditHeadMail,
  composeInvitationMail,
  composeNewStaffMail,
  composeOutcomeMail,
  composeRoleMail,
} from './mails.ts';

const endNoticeDays = 30;

export function staffTasks(context: Context, mailer: Mailer, actions: readonly ApprovedAction[]): JobHandlers {
  const { db, config } = context;
  const branding = createMailBranding(context);
  return {
    ...approvedActionJob.handle(async ({ approvalId }) => runApproved(context, approvalId, actions)),
    ...approvalMailJob.handle(async ({ approvalId, accountId }, attempt) => {
      const [to, [request]] = [await findActiveAddress(db, accountId), await findApprovals(db, { id: approvalId })];
      if (to === null || request?.state !== 'waiting') return;
      await mailer.send(composeApprovalMail(branding, to, request), attempt);
    }),
    ...approvalOutcomeMailJob.handle(async ({ approvalId, outcome }, attempt) => {
      const [request] = await findApprovals(db, { id: approvalId });
      const to = request?.requestedById ? await findActiveAddress(db, request.requestedById) : null;
      if (request && to !== null) await mailer.send(composeOutcomeMail(branding, to, request, outcome), attempt);
    }),
    ...roleMailJob.handle(async (job, attempt) => {
      const to = await findActiveAddress(db, job.accountId);
      if (to !== null) await mailer.send(composeRoleMail(branding, to, job), attempt);
    }),
    ...invitationMailJob.handle(async ({ invitationId }, attempt) => {
      const invitation = await findInvitation(db, invitationId);
      if (invitation) await mailer.send(composeInvitationMail(branding, invitation), attempt);
    }),
    ...acceptInvitationsJob.handle(async () => acceptInvitations(context)),
    ...newStaffMailJob.handle(async ({ accountId, grantee, grantedBy, role }, attempt) => {
      const [to, email, by] = [
        await findActiveAddress(db, accountId),
        await findActiveAddress(db, grantee),
        await findActiveAddress(db, grantedBy),
      ];
      if (to === null || email === null) return;
      await mailer.send(composeNewStaffMail(branding, to, { email, role, by: by ?? 'An owner' }), attempt);
    }),
    ...endingRolesJob.handle(async () => {
      await db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ accountId: string; role: StaffRole; lastDay: string }>`
          update staff_roles set end_notice_at = now()
          where ends_at between now() and now() + make_interval(days => ${endNoticeDays}) and end_notice_at is null
          returning account_id as "accountId", role,
            to_char((ends_at - interval '1 day') at time zone 'UTC', 'YYYY-MM-DD') as "lastDay"`.execute(tx);
        await sql`delete from staff_invitations where expires_at < now()`.execute(tx);
        for (const ending of rows) await roleMailJob.queue(tx, { ...ending, event: 'ends-soon' });
      });
    }),
    ...requestsWithoutApproverJob.handle(async () => db.transaction().execute(scheduleRequestsWithoutApprover)),
    ...auditHeadMailsJob.handle(async () => {
      const head = await findAuditHead(db);
      if (!head) return;
      await db.transaction().execute(async (tx) => {
        for (const accountId of await lockOwners(tx)) await auditHeadMailJob.queue(tx, { accountId, ...head });
      });
    }),
    ...auditHeadMailJob.handle(async ({ accountId, ...head }, attempt) => {
      const to = await findActiveAddress(db, accountId);
      if (to !== null) await mailer.send(composeAuditHeadMail(branding, to, head), attempt);
    }),
    ...logAuditHeadJob.handle(async () => {
      const head = await findAuditHead(db);
      if (head) logAuditHead(config.dataDir, head);
    }),
  };
}
