import { type Attempt, NoFurtherAttempts } from '../jobs/define-job.ts';

/** A mail. `composeMail` creates its text and HTML from the same content. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Address for replies. Default: the sender. */
  readonly replyTo?: string;
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

/** Reason why a mail server refuses an address: the mailbox does not exist, or accepts no mail. */
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
  /** Creates the error. @param reason the server's reply or the error code */
  constructor(reason: string, cause?: unknown) {
    super(`Mail server unavailable (${reason}).`, { cause });
  }
}

interface MailLink {
  readonly label: string;
  readonly url: string;
}

export interface MailContent {
  readonly to: string;
  readonly subject: string;
  /** Paragraphs of plain text. */
  readonly paragraphs: readonly string[];
  /** Text by another user. Shown as a quotation, so that it cannot be mistaken for our text. */
  readonly quote?: string;
  readonly action?: MailLink;
  /** Explanation of why the recipient gets this mail, and what to do if it is unexpected. */
  readonly footer: string;
  /** Further links, below the footer. */
  readonly links?: readonly MailLink[];
  /** Name of the sender, such as the institution. */
  readonly sender: string;
  /** Colour of buttons and links as `#rrggbb`, dark enough for white text. */
  readonly accent: string;
}

/** Creates the text and HTML of a mail. The HTML loads no images or other files, so opening it cannot be tracked. */
export function composeMail({
  to,
  subject,
  paragraphs,
  quote,
  action,
  footer,
  links = [],
  sender,
  accent,
}: MailContent): Message {
  const quoted = quote?.split('\n') ?? [];
  const text = [
    subject,
    '',
    ...paragraphs.flatMap((paragraph) => [paragraph, '']),
    ...quoted.map((line) => `> ${line}`),
    ...(quote === undefined ? [] : ['']),
    ...(action ? [`${action.label}:`, action.url, ''] : []),
    footer,
    '',
    ...links.flatMap(({ label, url }) => [`${label}:`, url, '']),
    `-- \n${sender}`,
  ].join('\n');
  const style = 'font:16px/1.5 system-ui,sans-serif;color:#1c2434';
  const button = `display:inline-block;padding:12px 24px;border-radius:8px;background:${accent};color:#ffffff;text-decoration:none;font-weight:600`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f6fb"><div style="max-width:560px;margin:0 auto;padding:32px;background:#ffffff;border-radius:10px;${style}">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.25">${escapeHtml(subject)}</h1>
${paragraphs.map((paragraph) => `<p style="margin:0 0 16px">${escapeHtml(paragraph)}</p>`).join('\n')}
${
  quote === undefined
    ? ''
    : `<blockquote dir="auto" style="margin:0 0 16px;padding:4px 16px;border-left:4px solid ${accent};overflow-wrap:anywhere">${quoted.map(escapeHtml).join('<br>')}</blockquote>`
}
${
  action
    ? `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="${button}">${escapeHtml(action.label)}</a></p>
<p style="margin:0 0 16px;font-size:14px;color:#4a5468">If the button does not work, open this address:<br><a href="${escapeHtml(action.url)}" style="color:${accent};word-break:break-all">${escapeHtml(action.url)}</a></p>`
    : ''
}
<p style="margin:24px 0 0;padding-top:16px;border-top:1px solid #d9deea;font-size:14px;color:#4a5468">${escapeHtml(footer)}${links.map(({ label, url }) => `<br><a href="${escapeHtml(url)}" style="color:${accent}">${escapeHtml(label)}</a>`).join('')}<br>${escapeHtml(sender)}</p>
</div></body></html>
`;
  return { to, subject, text, html };
}

/** Escapes text for HTML content and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`);
