import { type Attempt, NoFurtherAttempts } from '../jobs/define-job.ts';

/** One mail; html and text are made from the same words, by `composeMail`. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where an answer goes; without it, to the sender of the mails. */
  readonly replyTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /**
   * Sends a mail. Every attempt of one job has the same Message-ID, so that mailboxes recognise a second copy.
   * @throws AddressRefused when the mail server refuses the address permanently
   * @throws MailServerUnavailable when the mail server is unreachable or refuses the login
   * @throws Error for all other failures of this mail
   */
  send(message: Message, attempt: Attempt): Promise<void>;
  close(): void;
}

/** What is wrong with an address, as its mail server says it: there is no such mailbox, or none that takes mail. */
export type AddressFault = 'no-mailbox' | 'closed';

/** A mail server's word that an address will not take this mail, nor any other one. Who it was stands nowhere in it. */
export class AddressRefused extends NoFurtherAttempts {
  override readonly name = 'AddressRefused';
  readonly fault: AddressFault;
  constructor(fault: AddressFault, cause: unknown) {
    super('The mail server has refused an address for good.', { cause });
    this.fault = fault;
  }
}

/** The mail server is unreachable or refuses the login, so that no mail can be sent. */
export class MailServerUnavailable extends Error {
  override readonly name = 'MailServerUnavailable';
  /** @param reason the server's words, or the code of the failure */
  constructor(reason: string, cause?: unknown) {
    super(`The mail server does not answer (${reason}).`, { cause });
  }
}

interface MailLink {
  readonly label: string;
  readonly url: string;
}

export interface MailContent {
  readonly to: string;
  readonly subject: string;
  /** Each is one paragraph, in plain words. */
  readonly paragraphs: readonly string[];
  /** Words of somebody else, lines kept, set apart so that they cannot pass for ours. */
  readonly quote?: string;
  readonly action?: MailLink;
  /** Why this mail came, and what to do if it should not have. */
  readonly footer: string;
  /** Where else to go, below the footer. */
  readonly links?: readonly MailLink[];
  /** Who writes: the institution's name. */
  readonly sender: string;
  /** Colour of buttons and links, `#rrggbb`, dark enough for white text. */
  readonly accent: string;
}

/** Both forms of a mail from one source of words. No pictures and nothing fetched: it tells nobody that it was read. */
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

/** Makes any text harmless in HTML, in content and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`);
