import { hasAddress } from '#contract/addresses.ts';
import { line } from '#contract/fields.ts';
import { type MailBranding, composeMail } from '#server/domain/mail/mail-branding.ts';
import type { Message } from '#server/platform/mail/mail.ts';

interface MessageMail {
  readonly to: string;
  readonly senderId: string;
  readonly senderName: string;
  readonly text: string;
  readonly replyTo: string | null;
  readonly isAnswerable: boolean;
  readonly isEmailOnProfile: boolean;
  readonly reportCode: string | null;
}

const maxNameCodePoints = 80;

/**
 * Returns a name as one visible line of at most 80 code points, or "(not shown)" for a name with a web or email
 * address. Names that are older than the rule against addresses can contain one. Never put a name into a subject:
 * subjects are fixed texts.
 */
function toPlainName(name: string): string {
  const letters = [...name];
  const { data } = line(maxNameCodePoints).safeParse(letters.slice(0, maxNameCodePoints).join(''));
  if (data === undefined || hasAddress(name)) return '(not shown)';
  return letters.length > maxNameCodePoints ? `${data}…` : data;
}

/**
 * Headers that prevent automatic replies (RFC 3834, section 5). An out-of-office reply would show the recipient's
 * address to the sender. Exchange reads the second header.
 */
const autoReplyHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** Contains the sender's address only as Reply-To, if the sender shares it. */
export function composeMessageMail(
  branding: MailBranding,
  { to, senderId, senderName, text, replyTo, isAnswerable, isEmailOnProfile, reportCode }: MessageMail,
): Message {
  const profile = `${branding.publicUrl}/user/${senderId}`;
  const mail = composeMail(branding, to, {
    subject: 'A member wrote to you in the alumni archive',
    preview: isAnswerable ? 'Read the message, and reply in the archive.' : 'Read the message in this email.',
    paragraphs: [
      `A member of the alumni archive of ${branding.institution} sent you the message below.`,
      `Name on their profile: ${toPlainName(senderName)}`,
      'The member wrote the text. We have not checked it or the links in it. The archive never asks for a password, a code, money or bank details in a message.',
    ],
    quote: text,
    action: isAnswerable
      ? { label: 'Reply in the archive', url: `${profile}?write` }
      : { label: 'View the sender’s profile', url: profile },
    footer: [
      isEmailOnProfile
        ? 'Your profile shows your email address to members, the sender included. You can change this in the settings under Privacy.'
        : 'The sender cannot see your email address.',
      isAnswerable && !isEmailOnProfile && 'A reply in the archive does not show it either.',
      replyTo === null
        ? 'Do not reply to this email: your reply would go to the alumni office.'
        : 'The sender shares their email address with you. If you reply to this email, the reply goes to the sender and shows your address.',
      'We keep no copy of the message.',
    ]
      .filter(Boolean)
      .join(' '),
    links: [
      ...(reportCode === null
        ? []
        : [
            {
              label: 'Report this message to the alumni office',
              url: `${branding.publicUrl}/report?code=${reportCode}`,
            },
          ]),
      { label: 'Block the sender on their profile', url: profile },
      { label: 'Turn off messages from members', url: `${branding.publicUrl}/settings?section=privacy` },
    ],
  });
  return { ...mail, headers: autoReplyHeaders, ...(replyTo !== null && { replyTo }) };
}

interface UndeliveredMail {
  readonly to: string;
  readonly recipientId: string;
  readonly recipientName: string;
}

/** Does not contain the reason, for the recipient's privacy. */
export function composeUndeliveredMail(
  branding: MailBranding,
  { to, recipientId, recipientName }: UndeliveredMail,
): Message {
  return composeMail(branding, to, {
    subject: 'Your message could not be delivered',
    preview: 'The recipient has not read it. You can write it again.',
    paragraphs: [
      `Your message in the alumni archive of ${branding.institution} could not be delivered after many attempts. The recipient has not read it.`,
      `Name on their profile: ${toPlainName(recipientName)}`,
      'We keep no copy of the message. You can write it again.',
    ],
    action: { label: 'Write again', url: `${branding.publicUrl}/user/${recipientId}?write` },
    footer: 'You received this email because you sent a message in the archive.',
  });
}
