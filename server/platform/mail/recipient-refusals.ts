import type { AddressFault } from './mail.ts';

export interface SmtpFailure extends Error {
  readonly code?: string;
  /**
   * The failed SMTP command: `CONN`, `AUTH …`, `MAIL FROM`, `RCPT TO` or `DATA`. `API` for errors of nodemailer itself.
   */
  readonly command?: string;
  readonly responseCode?: number | false;
  readonly response?: string | false;
}

/**
 * Status codes for a mailbox or domain that does not exist (RFC 3463, sections 3.2 and 3.5; the last one is from
 * Microsoft).
 */
const unknownMailboxCodes = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.4.4', '5.4.310']);

/** Status codes for a mailbox that accepts no mail (RFC 3463, section 3.3). */
const closedMailboxCodes = new Set(['5.2.1']);

/** Microsoft's servers use 5.4.1 for missing mailboxes. On other servers it means that a host did not respond. */
const isUnknownAtMicrosoft = (status: string, response: string) =>
  status === '5.4.1' && /recipient address rejected/iu.test(response);

const otherCause =
  /sender|relay|block|black|spam|polic|den[iy]|auth|reput|rbl|dnsbl|listed|rate|limit|quota|full|storage|tempor|later|too many|tls|spf|dkim|dmarc|helo/iu;

/**
 * Returns why a mail server permanently refuses the recipient, or null for all other failures. Full mailboxes, block
 * lists, refused senders, failed logins and mails that are too large are not permanent: they can be fixed, so the mail
 * is retried.
 */
export function findAddressFault({ command, message, response, responseCode }: SmtpFailure): AddressFault | null {
  // nodemailer sent nothing, because the address is not valid in SMTP.
  if (command === 'API' && /^(?:invalid recipient|no recipients)/iu.test(message)) return 'closed';
  if (!responseCode || responseCode < 500 || typeof response !== 'string') return null;
  const isRecipient = command === 'RCPT TO';
  const [, status] = /^5\d\d[ -](\d\.\d{1,3}\.\d{1,3})\b/u.exec(response) ?? [];
  if (status === undefined) {
    // RFC 5321, section 4.2.3: 550 mailbox unavailable, 551 user not local, 553 mailbox name not allowed.
    return isRecipient && [550, 551, 553].includes(responseCode) && !otherCause.test(response) ? 'no-mailbox' : null;
  }
  // Some servers check the recipient only after DATA.
  if (!isRecipient && command !== 'DATA') return null;
  if (isUnknownAtMicrosoft(status, response)) return 'no-mailbox';
  if (/sender/iu.test(response)) return null;
  if (unknownMailboxCodes.has(status)) return 'no-mailbox';
  return closedMailboxCodes.has(status) && !otherCause.test(response) ? 'closed' : null;
}
