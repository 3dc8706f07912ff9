import { hasAddress } from '#contract/addresses.ts';
import { line } from '#contract/fields.ts';
import { type MailBranding, toMailSender } from '../../domain/mail-branding.ts';
import { type Message, composeMail } from '../../platform/mail/mail.ts';

interface MessageMail {
  readonly to: string;
  readonly senderId: string;
  readonly senderName: string;
  readonly text: string;
  /** Where the sender lets themselves be answered directly; null for nowhere. */
  readonly replyTo: string | null;
  /** Whether an answer through the site would reach them. */
  readonly isAnswerable: boolean;
  /** For the report link; null where there is none. */
  readonly reportCode: string | null;
}

/** Code points of a name in a mail. */
const maxNameLength = 80;

/**
 * Returns one visible line of at most 80 code points for a name, or "(not shown)" for one with a web or email address: names
 * from before that rule can have them. Never put a name into a subject: subjects are fixed texts.
 */
function toPlainName(name: string): string {
  const letters = [...name];
  const { data } = line(maxNameLength).safeParse(letters.slice(0, maxNameLength).join(''));
  if (data === undefined || hasAddress(name)) return '(not shown)';
  return letters.length > maxNameLength ? `${data}…` : data;
}

/**
 * No mailbox answers this by itself: who is on holiday would show their address to whoever wrote (RFC 3834, section 5;
 * the second one is Exchange's).
 */
const autoReplyHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** A member's words to another one. The sender's address is in none of it, but for the Reply-To that they have asked for. */
export function messageMail(
  branding: MailBranding,
  { to, senderId, senderName, text, replyTo, isAnswerable, reportCode }: MessageMail,
): Message {
  const profile = `${branding.publicUrl}/user/${senderId}`;
  const mail = composeMail({
    to,
    ...toMailSender(branding),
    subject: 'A member wrote to you in the alumni archive',
    paragraphs: [
      `A member of the alumni archive of ${branding.institution} sent you the message below.`,
      `Name on their profile: ${toPlainName(senderName)}`,
      'The member wrote the text. We have not checked it or the links in it. The archive never asks for a password, a code, money or bank details in a message.',
    ],
    quote: text,
    action: isAnswerable
      ? { label: 'Answer in the archive', url: `${profile}?write` }
      : { label: 'See who wrote', url: profile },
    footer: [
      'The sender does not learn your address from this mail.',
      isAnswerable && 'An answer in the archive does not show it either.',
      replyTo === null
        ? 'Do not answer this mail itself: that would go to the alumni office.'
        : `They show you their own address: if you answer this mail itself, it goes there, and shows them yours.`,
      'We keep no copy of the text.',
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
      { label: 'Block this person on their profile', url: profile },
      { label: 'Take no messages at all', url: `${branding.publicUrl}/settings?section=privacy` },
    ],
  });
  return { ...mail, headers: autoReplyHeaders, ...(replyTo !== null && { replyTo }) };
}

interface UndeliveredMail {
  readonly to: string;
  readonly recipientId: string;
  readonly recipientName: string;
}

/** To whoever has written: their message has not got through, and why is nobody's business but the other one's. */
export function undeliveredMail(branding: MailBranding, { to, recipientId, recipientName }: UndeliveredMail): Message {
  return composeMail({
    to,
    ...toMailSender(branding),
    subject: 'Your message could not be delivered',
    paragraphs: [
      `A message that you wrote in the alumni archive of ${branding.institution} could not be delivered after many attempts. The recipient has not read it.`,
      `Name on their profile: ${toPlainName(recipientName)}`,
      'We keep no copy of the text. You can write it again.',
    ],
    action: { label: 'Write again', url: `${branding.publicUrl}/user/${recipientId}?write` },
    footer: 'You receive this mail because you have written a message in the archive.',
  });
}
