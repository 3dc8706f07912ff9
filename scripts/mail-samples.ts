import { moderationNotificationKinds } from '#contract/notifications.ts';
import { approvalKinds, staffRoles } from '#contract/staff/values.ts';
import { adoptedFields } from '#server/domain/membership/adopt-entry.ts';
import type { MailBranding } from '#server/domain/mail/mail-branding.ts';
import { membershipOutcomes } from '#server/domain/membership/membership-notices.ts';
import { approvalOutcomes } from '#server/domain/staff/approvals.ts';
import { composeAnnouncement } from '#server/features/announcements/mails.ts';
import { composeMessageMail, composeUndeliveredMail } from '#server/features/contact/mails.ts';
import { factorChanges } from '#server/features/identity/jobs.ts';
import * as identity from '#server/features/identity/mails.ts';
import { composeGracePeriod, composeImported, composeUnused } from '#server/features/identity/notice-mails.ts';
import * as membership from '#server/features/membership/mails.ts';
import * as reports from '#server/features/reports/mails.ts';
import { composeInvitation } from '#server/features/roster/invitation-mails.ts';
import { composeWaiting } from '#server/features/review/mails.ts';
import * as staff from '#server/features/staff/mails.ts';
import { composeExportMail } from '#server/features/staff-people/exports/mails.ts';
import type { Message } from '#server/platform/mail/mail.ts';

const to = 'ada@mail.example';
const newEmail = 'ada@new.example';
const code = 'SAMPLECODE';
const day = new Date('2030-05-17T12:00:00Z');
const both = [true, false];

/** `mail-samples.test.ts` checks that no mail of the product is missing. */
export function composeSamples(branding: MailBranding): Message[] {
  const message = { to, senderId: 'SAMPLE-ID', senderName: 'Grace Hopper', text: 'Hello Ada,\nhow are you?' };
  const approval = { people: 120, requestedBy: newEmail, runsAt: day };
  return [
    identity.composeVerification(branding, to, { code, verifyBy: day }),
    identity.composeAddressTest(branding, to),
    identity.composePasswordReset(branding, to, code),
    identity.composeEmailChange(branding, to, code),
    identity.composeAddressRequest(branding, to, newEmail, code),
    identity.composeEmailRecovery(branding, to, newEmail, code),
    identity.composeAddressRemoved(branding, to),
    identity.composePasswordChanged(branding, to),
    identity.composeNewDevice(branding, to, 'Firefox on Android'),
    ...factorChanges.map((change) =>
      identity.composeFactorChanged(branding, to, { change, detail: 'Phone', isOn: change.endsWith('added') }),
    ),
    identity.composeSignedOut(branding, to),
    ...both.map((isByOffice) => identity.composePendingDeletion(branding, to, { deletesAt: day, code, isByOffice })),
    identity.composeAccountDeleted(branding, to),
    ...both.map((isHidden) => composeImported(branding, to, { isHidden, hasPassword: isHidden, classYear: 2015 })),
    composeUnused(branding, to, { lastSeen: day, days: 30, classYear: 2015 }),
    ...both.map((isLast) => composeGracePeriod(branding, to, { confirmBy: day, isLast, classYear: 2015 })),
    ...membershipOutcomes.map((outcome) =>
      membership.composeOutcome(branding, to, { outcome, reason: 'The year is another one.', changed: adoptedFields }),
    ),
    membership.composeEntryNotice(branding, to, code),
    membership.composeEntryQuestion(branding, to, code),
    membership.composeVouched(branding, to, 1),
    membership.composeQuestion(branding, to, 'Which name did you have as a student?'),
    membership.composeMailedCode(branding, to, code),
    membership.composeRefusedRequests(branding, to, '20110294001X'),
    composeMessageMail(branding, {
      ...message,
      replyTo: null,
      isAnswerable: true,
      isEmailOnProfile: false,
      reportCode: code,
    }),
    composeMessageMail(branding, {
      ...message,
      replyTo: newEmail,
      isAnswerable: false,
      isEmailOnProfile: true,
      reportCode: null,
    }),
    composeUndeliveredMail(branding, { to, recipientId: 'SAMPLE-ID', recipientName: 'Grace Hopper' }),
    composeAnnouncement(
      branding,
      to,
      {
        subject: 'Reunion of the class of 2015',
        text: 'We meet in May.\n\nRegister at https://reunion.example.',
        name: { firstName: 'Ada', lastName: 'Lovelace' },
      },
      code,
    ),
    ...both.map((isReminder) => composeInvitation(branding, to, { code, isReminder })),
    ...moderationNotificationKinds.map((kind) =>
      reports.composeModerationNotice(branding, to, {
        kind,
        accountId: 'SAMPLE-ID',
        text: 'Please choose another one.',
        title: kind.startsWith('photo') ? 'Matriculation' : '',
        until: day.toISOString(),
      }),
    ),
    reports.composeConfirmReport(branding, to, code),
    ...both.map((hasActed) => reports.composeReportOutcome(branding, to, hasActed)),
    ...approvalKinds.map((kind) => staff.composeApprovalMail(branding, to, { ...approval, kind })),
    ...approvalOutcomes.map((outcome) =>
      staff.composeOutcomeMail(branding, to, { kind: 'announcement', people: 120 }, outcome),
    ),
    staff.composeAuditHeadMail(branding, to, { records: 1_024, hash: 'a'.repeat(64) }),
    ...staffRoles.map((role) =>
      staff.composeRoleMail(branding, to, { accountId: 'SAMPLE-ID', role, event: 'granted' }),
    ),
    staff.composeRoleMail(branding, to, { accountId: 'SAMPLE-ID', role: 'owner', event: 'removed' }),
    staff.composeRoleMail(branding, to, {
      accountId: 'SAMPLE-ID',
      role: 'moderator',
      event: 'ends-soon',
      lastDay: '2030-05-17',
    }),
    staff.composeInvitationMail(branding, {
      email: newEmail,
      role: 'owner',
      invitedBy: 'grace@mail.example',
      expiresAt: new Date('2030-05-17'),
    }),
    staff.composeNewStaffMail(branding, to, { email: newEmail, role: 'registrar', by: 'grace@mail.example' }),
    composeWaiting(branding, to, {
      counts: [
        { kind: 'claim', waiting: 200, hasMore: true },
        { kind: 'report', waiting: 1, hasMore: false },
      ],
      oldest: day,
    }),
    ...both.map((isReady) => composeExportMail(branding, to, isReady)),
  ];
}
