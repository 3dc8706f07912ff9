import { approvalTexts, noticeHours, noticeKinds, soleOwnerHours, type StaffRole } from '#contract/staff/values.ts';
import { formatDay } from '#server/domain/format-day.ts';
import { type MailBranding, composeMail } from '#server/domain/mail/mail-branding.ts';
import type { ApprovalOutcome, StoredApproval } from '#server/domain/staff/approvals.ts';
import type { AuditHead } from '#server/domain/staff/audit-log.ts';
import type { Message } from '#server/platform/mail/mail.ts';
import type { Invitation } from './invitations.ts';
import type { RoleMail } from './jobs.ts';

const footer = 'You received this email because of your staff role in the alumni archive.';

export function composeApprovalMail(
  branding: MailBranding,
  to: string,
  { kind, people, requestedBy, runsAt }: Pick<StoredApproval, 'kind' | 'people' | 'requestedBy' | 'runsAt'>,
): Message {
  const action = approvalTexts[kind](people);
  if (noticeKinds.includes(kind))
    return composeMail(branding, to, {
      subject:
        kind === 'console-access' ? 'New second factor of a member of staff' : 'The address of a person will change',
      paragraphs: [
        `${requestedBy ?? 'A member of staff'} wants to ${action}.`,
        `This happens in ${noticeHours} hours, or at once when an owner other than the requester approves it. If you do not know why, ask the person, for example by phone. An owner can refuse it in the staff console.`,
      ],
      action: { label: 'Open the request', url: `${branding.publicUrl}/staff/approvals` },
      footer,
    });
  return composeMail(branding, to, {
    subject: runsAt === null ? 'A request needs your approval' : `A request will run in ${soleOwnerHours} hours`,
    paragraphs: [
      `${requestedBy ?? 'A member of staff'} wants to ${action}.`,
      runsAt === null
        ? 'It runs only after you or another owner approves it. Approve or refuse it in the staff console.'
        : `No one else can approve it, so it runs in ${soleOwnerHours} hours. To cancel it, open the staff console, which needs two-step sign-in.`,
    ],
    action: { label: 'Open the request', url: `${branding.publicUrl}/staff/approvals` },
    footer,
  });
}

const outcomeTexts: Record<ApprovalOutcome, (action: string) => { subject: string; text: string }> = {
  approved: (action) => ({
    subject: 'Your request was approved',
    text: `Your request to ${action} was approved, and is being carried out.`,
  }),
  started: (action) => ({
    subject: 'Your request is being carried out',
    text: `No one refused your request to ${action} in time, so it is being carried out.`,
  }),
  refused: (action) => ({
    subject: 'Your request was refused',
    text: `An owner refused your request to ${action}. Nothing was changed.`,
  }),
  cancelled: (action) => ({
    subject: 'Your request was cancelled',
    text: `Your request to ${action} was cancelled. Nothing was changed.`,
  }),
  failed: (action) => ({
    subject: 'Your request could not be carried out',
    text: `Your request to ${action} is no longer possible. Nothing was changed. The staff console shows the reason.`,
  }),
};

export function composeOutcomeMail(
  branding: MailBranding,
  to: string,
  { kind, people }: Pick<StoredApproval, 'kind' | 'people'>,
  outcome: ApprovalOutcome,
): Message {
  const { subject, text } = outcomeTexts[outcome](approvalTexts[kind](people));
  return composeMail(branding, to, {
    subject,
    paragraphs: [text],
    action: { label: 'Open the request', url: `${branding.publicUrl}/staff/approvals` },
    footer,
  });
}

/** Creates the weekly mail to an owner with the last hash of the audit log: a copy outside the server. */
export function composeAuditHeadMail(branding: MailBranding, to: string, { records, hash }: AuditHead): Message {
  return composeMail(branding, to, {
    subject: `Audit log: record ${records}`,
    paragraphs: [
      `The audit log of the staff console has ${records} records. The hash of the newest one is ${hash}.`,
      'Keep this email. If someone with access to the server rewrites the log, the hash of this record changes. To compare it later, ask the operator for the hash of this record.',
    ],
    footer,
  });
}

const roleNames: Record<StaffRole, string> = {
  owner: 'an owner',
  registrar: 'a registrar',
  moderator: 'a moderator',
  'class-representative': 'a class representative',
};

const roleTexts = {
  granted: (role: string) => ({
    subject: 'You are now on the staff of the alumni archive',
    paragraphs: [
      `You are now ${role}. The staff console needs two-step sign-in. Set up an authenticator app or a passkey in the settings first.`,
    ],
  }),
  removed: (role: string) => ({
    subject: 'Your role has ended',
    paragraphs: [`You are no longer ${role} in the alumni archive. Your account and your profile remain.`],
  }),
};

const describeEnd = (role: string, lastDay: string) => ({
  subject: `Your role ends on ${lastDay}`,
  paragraphs: [
    `${lastDay} is your last day as ${role} in the alumni archive. To keep the role, ask an owner to extend it.`,
  ],
});

export function composeRoleMail(branding: MailBranding, to: string, mail: RoleMail): Message {
  const role = roleNames[mail.role];
  const { subject, paragraphs } =
    mail.event === 'ends-soon' ? describeEnd(role, formatDay(new Date(mail.lastDay))) : roleTexts[mail.event](role);
  return composeMail(branding, to, {
    subject,
    paragraphs,
    action: {
      label: mail.event === 'removed' ? 'Open the archive' : 'Open the staff console',
      url: `${branding.publicUrl}${mail.event === 'removed' ? '/' : '/staff'}`,
    },
    footer,
  });
}

export function composeInvitationMail(
  branding: MailBranding,
  { email, role, invitedBy, expiresAt }: Pick<Invitation, 'email' | 'role' | 'invitedBy' | 'expiresAt'>,
): Message {
  return composeMail(branding, email, {
    subject: 'Invitation to the staff of the alumni archive',
    paragraphs: [
      `${invitedBy} invites you to be ${roleNames[role]} in the alumni archive.`,
      `Create an account with this address, and open the link in the email that follows. The role waits until ${formatDay(expiresAt)}.${role === 'owner' ? ' Another owner must then approve it.' : ''}`,
      'If you do not know why you received this, ignore this email.',
    ],
    action: { label: 'Create your account', url: `${branding.publicUrl}/signup` },
    footer: 'You received this email because an owner of the archive entered this address.',
  });
}

export function composeNewStaffMail(
  branding: MailBranding,
  to: string,
  { email, role, by }: { email: string; role: StaffRole; by: string },
): Message {
  return composeMail(branding, to, {
    subject: 'New member of staff',
    paragraphs: [
      `${by} has made ${email} ${roleNames[role]}.`,
      'If you do not know this person, ask, for example by phone. An owner can remove the role in the staff console.',
    ],
    action: { label: 'Open the roles', url: `${branding.publicUrl}/staff/roles` },
    footer,
  });
}
