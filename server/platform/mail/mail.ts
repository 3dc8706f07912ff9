import { toPlainText } from '#contract/light-format.ts';
import { type Attempt, NoFurtherAttempts } from '../jobs/define-job.ts';
import { type MailContent, renderMailHtml } from './mail-html.ts';

export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly replyTo?: string | { readonly name: string; readonly address: string };
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /**
   * Sends a mail. All attempts of one job have the same Message-ID, so that mailboxes can detect duplicates.
   * @throws AddressRefused when the mail server permanently refuses the address
   * @throws MailServerUnavailable when the mail server is unreachable or refuses the login
   * @throws Error for all other failures
   */
  send(message: Message, attempt: Attempt): Promise<void>;
  close(): void;
}

export type AddressFault = 'no-mailbox' | 'closed';

/** Error when the mail server permanently refuses mail for an address. The message does not contain the address. */
export class AddressRefused extends NoFurtherAttempts {
  override readonly name = 'AddressRefused';
  readonly fault: AddressFault;
  constructor(fault: AddressFault, cause: unknown) {
    super('The mail server permanently refused the address.', { cause });
    this.fault = fault;
  }
}

/** Error when the mail server is unreachable or refuses the login, so no mail can be sent. */
export class MailServerUnavailable extends Error {
  override readonly name = 'MailServerUnavailable';
  constructor(reason: string, cause?: unknown) {
    super(`Mail server unavailable (${reason}).`, { cause });
  }
}

export function renderMail(content: MailContent): Message {
  const { to, subject, paragraphs, isTyped = false, quote, action, footer, links = [], sender } = content;
  const quoted = quote?.split('\n') ?? [];
  const text = [
    subject,
    '',
    ...paragraphs.flatMap((paragraph) => [isTyped ? toPlainText(paragraph) : paragraph, '']),
    ...quoted.map((line) => `> ${line}`),
    ...(quote === undefined ? [] : ['']),
    ...(action ? [`${action.label}:`, action.url, ''] : []),
    footer,
    '',
    ...links.flatMap(({ label, url }) => [`${label}:`, url, '']),
    `-- \n${sender}`,
  ].join('\n');
  return { to, subject, text, html: renderMailHtml(content) };
}
