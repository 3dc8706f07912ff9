import { createTransport } from 'nodemailer';
import type { Config } from '../config/config.ts';
import type { Message } from './mail.ts';

/** One step of talking to the mail server, as a line for the operator. */
export type ReportStep = (line: string) => void;

/** What a mail server has done with a mail. */
export interface Delivery {
  /** The server's own words, e.g. `250 2.0.0 Ok: queued as 4B2`. */
  readonly response: string;
  readonly messageId: string;
}

/** Milliseconds for each of connecting, being greeted, and every silence after that. */
const defaultTimeoutMs = 15_000;

/**
 * Talks to the configured mail server now, without the queue, and says what it answers step by step.
 * @param message what to send; null connects and signs in, and sends nothing
 * @throws SmtpDiagnosticsError with what to do
 */
export async function diagnoseSmtp(
  { mail }: Pick<Config, 'mail'>,
  message: Message | null,
  tell: ReportStep = () => undefined,
  timeout = defaultTimeoutMs,
): Promise<Delivery | null> {
  const url = new URL(mail.smtpUrl ?? 'smtp://localhost');
  // A greeting that does not come is told from a silence later on: it has to be noticed first.
  const timeouts = { connectionTimeout: timeout, greetingTimeout: timeout, socketTimeout: 2 * timeout };
  const transport = createTransport(
    { url: url.href, ...timeouts, logger: transcriptLogger(tell, url), debug: true },
    { from: mail.from },
  );
  try {
    if (message === null) {
      await transport.verify();
      return null;
    }
    const { response, messageId } = await transport.sendMail({ ...message, headers: { ...message.headers } });
    return { response, messageId };
  } catch (error) {
    throw new SmtpDiagnosticsError(error as SmtpError, url, mail.from);
  } finally {
    transport.close();
  }
}

/** What the library hangs on its errors. */
interface SmtpError extends Error {
  readonly code?: string;
  /** What had been said last, e.g. `MAIL FROM`. */
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** What went wrong, in a sentence that says what to do. */
export class SmtpDiagnosticsError extends Error {
  override readonly name = 'SmtpDiagnosticsError';

  constructor(error: SmtpError, url: URL, from: string) {
    super(adviceFor(error, url, from), { cause: error });
  }
}

function adviceFor({ code = '', command = '', message, response }: SmtpError, url: URL, from: string): string {
  const port = url.port || (url.protocol === 'smtps:' ? '465' : '587');
  const place = `${url.hostname} at port ${port}`;
  const said = response === undefined ? '' : ` It said: ${response.trim()}`;
  const text = `${code} ${message}`;
  if (/EDNS|ENOTFOUND|EAI_AGAIN/u.test(text))
    return `There is no server named ${url.hostname}. Check the host in SMTP_URL.`;
  if (/certificate|self.signed|altnames|CERT_|UNABLE_TO/iu.test(text))
    return `The certificate of ${place} does not count: ${message}. Use in SMTP_URL the name that stands in it, or have the server's operator renew it.`;
  if (/wrong version number|packet length|EPROTO\b/iu.test(text))
    return `${place} does not begin with TLS. Write smtp:// in SMTP_URL in place of smtps://; TLS is begun then where the server offers it.`;
  if (/ECONNREFUSED/u.test(text))
    return `Nothing listens on ${place}. Check host and port in SMTP_URL: usual are 465 with smtps:// and 587 with smtp://.`;
  if (/Greeting never received/u.test(text))
    return `${place} takes the call and says nothing. If that is a port for TLS, write smtps:// in SMTP_URL in place of smtp://.`;
  if (code === 'ETIMEDOUT' || /ETIMEDOUT|timeout/iu.test(text))
    return `${place} does not answer. Something on the way may close the port, many providers do so with 25: try 587 or 465.`;
  if (code === 'ENOAUTH') return `${place} wants a sign-in. Write user and password into SMTP_URL.${said}`;
  if (code === 'EAUTH')
    return `${place} refuses the sign-in. Check user and password in SMTP_URL; characters like @ : / # are written as %40 %3A %2F %23 there.${said}`;
  if (code === 'EENVELOPE' && command.startsWith('RCPT'))
    return `${place} does not take mails for this address. Without a user in SMTP_URL, many servers take only their own.${said}`;
  if (code === 'EENVELOPE')
    return `${place} does not let this sender in: ${from}. Set MAIL_FROM to an address that belongs to the account in SMTP_URL.${said}`;
  if (code === 'ETLS') return `TLS with ${place} does not come about: ${message}.${said}`;
  if (code === 'EMESSAGE') return `${place} does not take the mail itself.${said}`;
  return `${place}: ${message}.${said} Check SMTP_URL.`;
}

/** Returns a logger for nodemailer that prints what client (C) and server (S) say. nodemailer leaves passwords out. */
function transcriptLogger(tell: ReportStep, url: URL) {
  let isEncrypted = url.protocol === 'smtps:';
  const debug = (entry: { readonly tnx?: string }, text: string) => {
    if (entry.tnx === 'server') tell(`S: ${text.trimEnd()}`);
    if (entry.tnx !== 'client') return;
    if (text === 'STARTTLS') isEncrypted = true;
    if (text.startsWith('MAIL FROM') && !isEncrypted) tell('The connection is NOT encrypted.');
    tell(`C: ${text}`);
  };
  const ignore = () => undefined;
  return { level: ignore, trace: ignore, debug, info: ignore, warn: ignore, error: ignore, fatal: ignore };
}
