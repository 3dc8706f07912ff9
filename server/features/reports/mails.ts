import type { ModerationNotificationKind } from '#contract/notifications.ts';
import { type MailBranding, composeMail } from '#server/domain/mail/mail-branding.ts';
import { formatDay } from '#server/domain/format-day.ts';
import type { ModerationNotice } from '#server/domain/staff/moderation-notices.ts';
import type { Message } from '#server/platform/mail/mail.ts';

const noticeTexts: Record<ModerationNotificationKind, (until: string) => { subject: string; text: string }> = {
  'photo-reported': () => ({
    subject: 'Your photo is hidden while we review a report',
    text: 'A member has reported one of your photos. It is hidden until the alumni office has reviewed the report. You can still see it in the gallery, and you can remove it.',
  }),
  'photo-hidden': () => ({
    subject: 'Your photo was hidden',
    text: 'The alumni office has hidden one of your photos. Only you and the alumni office can see it.',
  }),
  'photo-taken-down': () => ({
    subject: 'Your photo was taken down',
    text: 'The alumni office has taken down one of your photos. It will be deleted in 30 days.',
  }),
  'photo-restored': () => ({ subject: 'Your photo is visible again', text: 'One of your photos is visible again.' }),
  'profile-hidden': () => ({
    subject: 'Your profile was hidden',
    text: 'The alumni office has hidden your profile. Only you can see it. You can still sign in.',
  }),
  'profile-restored': () => ({ subject: 'Your profile is visible again', text: 'Your profile is visible again.' }),
  'account-suspended': (until) => ({
    subject: 'Your account is suspended',
    text: `The alumni office has suspended your account until ${until}. Until then, you cannot sign in, and no one sees your profile and your photos. Nothing was deleted.`,
  }),
  'account-restored': () => ({
    subject: 'Your account is no longer suspended',
    text: 'The alumni office has ended the suspension of your account. You can sign in again.',
  }),
};

/** Never says who reported it. */
export function composeModerationNotice(
  branding: MailBranding,
  to: string,
  { kind, text: fromStaff, title, until }: ModerationNotice,
): Message {
  const { subject, text } = noticeTexts[kind](until === null ? '' : formatDay(new Date(until)));
  const isRestored = kind.endsWith('-restored');
  return composeMail(branding, to, {
    subject,
    paragraphs: [
      text,
      ...(title === '' ? [] : [`Title of the photo: ${title}`]),
      ...(isRestored ? [] : ['If you think that this is wrong, reply to this email. The alumni office will read it.']),
    ],
    ...(fromStaff !== '' && { quote: fromStaff }),
    action: { label: 'Open the archive', url: `${branding.publicUrl}/${title === '' ? '' : 'gallery'}` },
    footer: 'You received this email because you have an account in the alumni archive.',
  });
}

export const composeConfirmReport = (branding: MailBranding, to: string, code: string): Message =>
  composeMail(branding, to, {
    subject: 'Confirm your report',
    preview: 'Open the link to send your report to the alumni office.',
    paragraphs: [
      `Someone has entered this email address to report something in the alumni archive of ${branding.institution}. Open the link and confirm the report to send it to the alumni office.`,
      'The link works for 24 hours. If this was not you, ignore this email. The report will be deleted.',
    ],
    action: { label: 'Confirm the report', url: `${branding.publicUrl}/report/confirm?code=${code}` },
    footer: 'You received this email because someone entered your address in the alumni archive.',
  });

export const composeReportOutcome = (branding: MailBranding, to: string, hasActed: boolean): Message =>
  composeMail(branding, to, {
    subject: 'About your report',
    paragraphs: [
      hasActed
        ? `The alumni office of ${branding.institution} has acted on your report.`
        : `The alumni office of ${branding.institution} has reviewed your report and found no reason to act.`,
    ],
    action: { label: 'Open the archive', url: `${branding.publicUrl}/` },
    footer: 'You received this email because you reported something in the alumni archive.',
  });
