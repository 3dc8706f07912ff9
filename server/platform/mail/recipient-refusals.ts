import type { AddressFault } from './mail.ts';

/** What nodemailer hangs on the error of a mail that was not taken. */
export interface SmtpFailure extends Error {
  readonly code?: string;
  /** What was being asked: `CONN`, `AUTH …`, `MAIL FROM`, `RCPT TO`, `DATA`; `API` for a refusal of its own. */
  readonly command?: string;
  readonly responseCode?: number | false;
  readonly response?: string | false;
}

/** Status codes that say that there is no such mailbox or no such place (RFC 3463, sections 3.2 and 3.5; the last is Microsoft's). */
const unknownMailboxCodes = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.4.4', '5.4.310']);

/** There is one, and it takes nothing (RFC 3463, section 3.3). */
const closedMailboxCodes = new Set(['5.2.1']);

/** Microsoft's servers say so of mailboxes that are not there; of others it means that a host did not answer. */
const isUnknownAtMicrosoft = (status: string, response: string) =>
  status === '5.4.1' && /recipient address rejected/iu.test(response);

/** Words that speak about us, or about something that passes. */
const otherCause =
  /sender|relay|block|black|spam|polic|den[iy]|auth|reput|rbl|dnsbl|listed|rate|limit|quota|full|storage|tempor|later|too many|tls|spf|dkim|dmarc|helo/iu;

/**
 * Whether an answer says for good, and about the recipient, that mail will not get there. A full mailbox is none, nor is a
 * block list, a refusal of the sender, a login, or a mail that is too large: about these somebody can do something, so they
 * are tried again and then shown to the operator.
 * @returns null where it does not
 */
export function findAddressFault({ command, message, response, responseCode }: SmtpFailure): AddressFault | null {
  // Nothing was sent: this address cannot be written in a way that a mail server takes.
  if (command === 'API' && /^(?:invalid recipient|no recipients)/iu.test(message)) return 'closed';
  if (!responseCode || responseCode < 500 || typeof response !== 'string') return null;
  const isRecipient = command === 'RCPT TO';
  const [, status] = /^5\d\d[ -](\d\.\d{1,3}\.\d{1,3})\b/u.exec(response) ?? [];
  if (status === undefined) {
    // RFC 5321, section 4.2.3: 550 no such mailbox, 551 not here, 553 no such name.
    return isRecipient && [550, 551, 553].includes(responseCode) && !otherCause.test(response) ? 'no-mailbox' : null;
  }
  // Some servers ask who it is for only when they have the text.
  if (!isRecipient && command !== 'DATA') return null;
  if (isUnknownAtMicrosoft(status, response)) return 'no-mailbox';
  if (/sender/iu.test(response)) return null;
  if (unknownMailboxCodes.has(status)) return 'no-mailbox';
  return closedMailboxCodes.has(status) && !otherCause.test(response) ? 'closed' : null;
}
