import { createTransport } from 'nodemailer';
import type { Config } from '../config/config.ts';
import type { Message } from './mail.ts';

type ReportStep = (line: string) => void;

interface Delivery {
  readonly response: string;
  readonly messageId: string;
}

const defaultTimeoutMs = 15_000;

/**
 * Connects to the configured mail server without the job queue, and reports each step of the SMTP session.
 * @param message the mail to send; null only connects and logs in
 * @throws SmtpDiagnosticsError with what to do
 */
export async function diagnoseSmtp(
  { mail }: Pick<Config, 'mail'>,
  message: Message | null,
  reportStep: ReportStep = () => undefined,
  timeoutMs = defaultTimeoutMs,
): Promise<Delivery | null> {
  const url = new URL(mail.smtpUrl ?? 'smtp://localhost');
  // The longer socket timeout makes a missing greeting fail with a separate error.
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: 2 * timeoutMs };
  const transport = createTransport(
    { url: url.href, ...timeouts, logger: transcriptLogger(reportStep, url), debug: true },
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

interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

class SmtpDiagnosticsError extends Error {
  override readonly name = 'SmtpDiagnosticsError';

  constructor(error: SmtpError, url: URL, from: string) {
    super(adviceFor(error, url, from), { cause: error });
  }
}

function adviceFor({ code = '', command = '', message, response }: SmtpError, url: URL, from: string): string {
  const port = url.port || (url.protocol === 'smtps:' ? '465' : '587');
  const server = `${url.hostname} at port ${port}`;
  const reply = response === undefined ? '' : ` Its reply: ${response.trim()}`;
  const text = `${code} ${message}`;
  if (/EDNS|ENOTFOUND|EAI_AGAIN/u.test(text))
    return `The host ${url.hostname} was not found. Check the host in SMTP_URL.`;
  if (/certificate|self.signed|altnames|CERT_|UNABLE_TO/iu.test(text))
    return `The TLS certificate of ${server} is not valid: ${message}. Use the host name of the certificate in SMTP_URL, or ask the server's operator to renew it.`;
  if (/wrong version number|packet length|EPROTO\b/iu.test(text))
    return `${server} does not start with TLS. Use smtp:// instead of smtps:// in SMTP_URL; STARTTLS is used if the server offers it.`;
  if (/ECONNREFUSED/u.test(text))
    return `Connection refused by ${server}. Check host and port in SMTP_URL. The usual ports are 465 for smtps:// and 587 for smtp://.`;
  if (/Greeting never received/u.test(text))
    return `${server} accepts the connection but sends no greeting. If the port expects TLS, use smtps:// instead of smtp:// in SMTP_URL.`;
  if (code === 'ETIMEDOUT' || /ETIMEDOUT|timeout/iu.test(text))
    return `Connection to ${server} timed out. A firewall may block the port; many providers block 25. Try 587 or 465.`;
  if (code === 'ENOAUTH') return `${server} requires authentication. Add user and password to SMTP_URL.${reply}`;
  if (code === 'EAUTH')
    return `${server} refuses the login. Check user and password in SMTP_URL. Encode characters such as @ : / # as %40 %3A %2F %23.${reply}`;
  if (code === 'EENVELOPE' && command.startsWith('RCPT'))
    return `${server} refuses mail for this recipient. Without authentication, many servers accept only local recipients.${reply}`;
  if (code === 'EENVELOPE')
    return `${server} refuses the sender ${from}. Set MAIL_FROM to an address that belongs to the account in SMTP_URL.${reply}`;
  if (code === 'ETLS') return `The TLS handshake with ${server} failed: ${message}.${reply}`;
  if (code === 'EMESSAGE') return `${server} refuses the content of the mail.${reply}`;
  return `${server}: ${message}.${reply} Check SMTP_URL.`;
}

/** Returns a nodemailer logger that reports the lines of client (C) and server (S). nodemailer omits passwords. */
function transcriptLogger(reportStep: ReportStep, url: URL) {
  let isEncrypted = url.protocol === 'smtps:';
  const debug = (entry: { readonly tnx?: string }, text: string) => {
    if (entry.tnx === 'server') reportStep(`S: ${text.trimEnd()}`);
    if (entry.tnx !== 'client') return;
    if (text === 'STARTTLS') isEncrypted = true;
    if (text.startsWith('MAIL FROM') && !isEncrypted) reportStep('The connection is NOT encrypted.');
    reportStep(`C: ${text}`);
  };
  const ignore = () => undefined;
  return { level: ignore, trace: ignore, debug, info: ignore, warn: ignore, error: ignore, fatal: ignore };
}
