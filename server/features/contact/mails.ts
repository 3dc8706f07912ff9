import { line } from '#contract/fields.ts';
import { type MailWords, mailFrom } from '../../domain/mail-words.ts';
import { type Message, composeMail } from '../../platform/mail.ts';

interface Written {
  readonly to: string;
  readonly senderId: string;
  readonly senderName: string;
  readonly text: string;
  /** Where the sender lets themselves be answered directly; null for nowhere. */
  readonly replyTo: string | null;
  /** Whether an answer through the site would reach them. */
  readonly isAnswerable: boolean;
}

/** Code points of a name in a subject: what a phone shows of one. */
const nameMax = 80;

/** By the rule that names come in by, once more: nothing else than one line of it gets into a subject. */
function plainName(name: string): string {
  const letters = [...name];
  const { data } = line(nameMax).safeParse(letters.slice(0, nameMax).join(''));
  if (data === undefined) return 'A member';
  return letters.length > nameMax ? `${data}…` : data;
}

/**
 * No mailbox answers this by itself: who is on holiday would show their address to whoever wrote (RFC 3834, section 5;
 * the second one is Exchange's).
 */
const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** A member's words to another one. The sender's address is in none of it, but for the Reply-To that they have asked for. */
export function messageMail(
  words: MailWords,
  { to, senderId, senderName, text, replyTo, isAnswerable }: Written,
): Message {
  const name = plainName(senderName);
  const profile = `${words.publicUrl}/user/${senderId}`;
  const mail = composeMail({
    to,
    ...mailFrom(words),
    subject: `${name} wrote to you in the alumni archive`,
    paragraphs: [`${name} is a member of the alumni archive of ${words.institution}, and writes:`],
    quote: text,
    action: isAnswerable
      ? { label: 'Answer in the archive', url: `${profile}?write` }
      : { label: 'See who wrote', url: profile },
    footer: [
      `${name} does not learn your address from this mail.`,
      isAnswerable && 'An answer in the archive does not show it either.',
      replyTo === null
        ? 'Do not answer this mail itself: that would go to the alumni office.'
        : `They show you their own address: if you answer this mail itself, it goes there, and shows them yours.`,
      'The text is theirs, not ours, and we keep no copy of it.',
    ]
      .filter(Boolean)
      .join(' '),
    links: [
      { label: 'Block this person on their profile', url: profile },
      { label: 'Take no messages at all', url: `${words.publicUrl}/settings?section=privacy` },
    ],
  });
  return { ...mail, headers, ...(replyTo !== null && { replyTo }) };
}

interface Lost {
  readonly to: string;
  readonly recipientId: string;
  readonly recipientName: string;
}

/** To whoever has written: their message has not got through, and why is nobody's business but the other one's. */
export function undeliveredMail(words: MailWords, { to, recipientId, recipientName }: Lost): Message {
  const name = plainName(recipientName);
  return composeMail({
    to,
    ...mailFrom(words),
    subject: `Your message to ${name} could not be delivered`,
    paragraphs: [
      `What you wrote to ${name} in the alumni archive of ${words.institution} has not got through, however often it was tried. ${name} has not read it.`,
      'We keep no copy of the text. You can write it again.',
    ],
    action: { label: 'Write again', url: `${words.publicUrl}/user/${recipientId}?write` },
    footer: 'You receive this mail because you have written a message in the archive.',
  });
}
