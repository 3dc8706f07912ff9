import type { InvitationMail } from '#contract/staff/invitations.ts';
import { invitationPauseDays, maxInvitations } from '#contract/staff/values.ts';
import { type MailBranding, composeMail, toBulkHeaders, toSenderName } from '#server/domain/mail/mail-branding.ts';
import type { Message } from '#server/platform/mail/mail.ts';

export const invitationPaths = { signUp: '/invitation', notMe: '/invitation/not-me', stop: '/invitation/stop' };

export const linkLabels = { signUp: 'Sign up', notMe: 'This is not me', stop: 'Do not write to me again' };

/** Contains no value of the entry, because mailboxes are reused. */
export const previewInvitation = (branding: MailBranding): InvitationMail => ({
  subject: `You are invited to the alumni archive of ${branding.institution}`,
  greeting: 'Hello,',
  paragraphs: [
    `The alumni office of ${branding.institution} invites you to its alumni archive, where the people who studied there find each other.`,
    'The university has this email address on its list of students and graduates, and found no account of yours. If you still use this address, sign up with it.',
  ],
  footer: `You get at most ${maxInvitations} of these emails, ${invitationPauseDays} days or more apart. If you did not study there, select “${linkLabels.notMe}”.`,
  links: Object.values(linkLabels),
  sender: toSenderName(branding),
});

export function composeInvitation(
  branding: MailBranding,
  to: string,
  { code, isReminder }: { code: string; isReminder: boolean },
): Message {
  const { subject, greeting, paragraphs, footer } = previewInvitation(branding);
  const linkTo = (link: keyof typeof linkLabels) => ({
    label: linkLabels[link],
    url: `${branding.publicUrl}${invitationPaths[link]}?code=${code}`,
  });
  const mail = composeMail(branding, to, {
    subject: isReminder ? `Reminder: ${subject}` : subject,
    paragraphs: [greeting, ...paragraphs],
    action: linkTo('signUp'),
    footer,
    links: [linkTo('notMe'), linkTo('stop')],
  });
  return { ...mail, headers: toBulkHeaders(linkTo('stop').url) };
}
