import { createTransport } from 'nodemailer';
import { withTimeout } from '../lifecycle/with-timeout.ts';
import { AddressRefused, type Mailer, MailServerUnavailable } from './mail.ts';
import { type SmtpFailure, findAddressFault } from './recipient-refusals.ts';

/** Milliseconds for each of connecting, being greeted, and every silence after that; the queue tries again later. */
const defaultTimeoutMs = 15_000;

/** Milliseconds for which a server that has just not answered is not asked again: others would wait for it in vain. */
const unavailableTtlMs = 5_000;

/**
 * Sends over SMTP, over a new connection for each mail: a campus sends a few a minute, and a connection that is kept is one
 * more thing that breaks off unnoticed.
 * @param from as `MAIL_FROM` has it
 * @param timeout milliseconds for each silence of the server
 */
export function createSmtpMailer(url: string, from: string, timeout = defaultTimeoutMs): Mailer {
  const timeouts = { connectionTimeout: timeout, greetingTimeout: timeout, socketTimeout: timeout };
  const transport = createTransport({ url, ...timeouts }, { from });
  const [, domain = 'localhost'] = /@([^\s<>@]+)>?$/u.exec(from) ?? [];
  let unavailable: { readonly reason: string; readonly until: number } | null = null;

  /** Connects and signs in. @returns why that failed, or null */
  async function findConnectionFailure(): Promise<string | null> {
    try {
      await withTimeout(transport.verify(), 2 * timeout);
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
          throw new Error(`The mail server did not take a mail (${reasonOf(failure)}).`, { cause: error });
        // Whether it is away, or has only broken off this mail, decides when the next attempt is.
        const obstacle = await findConnectionFailure();
        if (obstacle !== null) throw new MailServerUnavailable(obstacle, error);
        throw new Error(`The mail server broke off in the middle of a mail (${reasonOf(failure)}).`, { cause: error });
      }
    },
    close: () => transport.close(),
  };
}

/** Whether the server has answered something that it was asked about this mail, and not about us coming in. */
const isAboutMail = ({ responseCode, command = '' }: SmtpFailure): boolean =>
  command === 'API' || (Boolean(responseCode) && /^(?:MAIL FROM|RCPT TO|DATA)/u.test(command));

/** What the operator can look for: the server's own words, or the kind of failure. Addresses are taken out by whoever keeps it. */
const reasonOf = ({ response, code, message }: SmtpFailure): string =>
  (typeof response === 'string' && response.trim()) || code || message || 'unknown';
