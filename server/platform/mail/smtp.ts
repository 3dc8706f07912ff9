import type { Transporter } from 'nodemailer';
import { withTimeout } from '../lifecycle/with-timeout.ts';
import { AddressRefused, type Mailer, MailServerUnavailable } from './mail.ts';
import { type SmtpFailure, findAddressFault } from './recipient-refusals.ts';

/** Time limit for connecting, for the greeting, and for each reply. Failed mails are retried by the job queue. */
const defaultTimeoutMs = 15_000;

/**
 * Time in milliseconds after a failed connection in which further mails fail immediately instead of waiting for the
 * server.
 */
const unavailableTtlMs = 5_000;

/**
 * Creates a mailer that sends over SMTP. Uses a new connection for each mail: with a few mails a minute, a connection
 * pool would only add failures from stale connections.
 * @param from the value of `MAIL_FROM`
 */
export function createSmtpMailer(url: string, from: string, timeoutMs = defaultTimeoutMs): Mailer {
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  let opened: Promise<Transporter> | undefined;
  const openTransport = () =>
    (opened ??= import('nodemailer').then((mail) => mail.createTransport({ url, ...timeouts }, { from })));
  const [, domain = 'localhost'] = /@([^\s<>@]+)>?$/u.exec(from) ?? [];
  let unavailable: { readonly reason: string; readonly until: number } | null = null;

  async function findConnectionFailure(): Promise<string | null> {
    try {
      const transport = await openTransport();
      await withTimeout(transport.verify(), 2 * timeoutMs);
      unavailable = null;
    } catch (error) {
      unavailable = { reason: reasonOf(error as SmtpFailure), until: performance.now() + unavailableTtlMs };
    }
    return unavailable?.reason ?? null;
  }

  return {
    send: async (message, { jobId, signal }) => {
      if (unavailable && performance.now() < unavailable.until) throw new MailServerUnavailable(unavailable.reason);
      try {
        const transport = await openTransport();
        await transport.sendMail({
          ...message,
          headers: { ...message.headers },
          messageId: `<${jobId}@${domain}>`,
          signal,
        });
      } catch (error) {
        const failure = error as SmtpFailure;
        if (signal.aborted) throw error;
        const fault = findAddressFault(failure);
        if (fault) throw new AddressRefused(fault, error);
        if (isAboutMail(failure))
          throw new Error(`The mail server refused the mail (${reasonOf(failure)}).`, { cause: error });
        // An unavailable mail server is retried sooner than a failure of this mail only.
        const reason = await findConnectionFailure();
        if (reason !== null) throw new MailServerUnavailable(reason, error);
        throw new Error(`The connection to the mail server broke while sending (${reasonOf(failure)}).`, {
          cause: error,
        });
      }
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

/** Returns whether the server refused this mail, and not the connection or the login. */
const isAboutMail = ({ responseCode, command = '' }: SmtpFailure): boolean =>
  command === 'API' || (Boolean(responseCode) && /^(?:MAIL FROM|RCPT TO|DATA)/u.test(command));

/** The caller must remove email addresses before storing it. */
const reasonOf = ({ response, code, message }: SmtpFailure): string =>
  (typeof response === 'string' && response.trim()) || code || message || 'unknown';
