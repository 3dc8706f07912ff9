import { type Mailer, MailServerUnavailable } from './mail.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** Counts attempts to send mails by result, without the recipient. */
export function countMails(mailer: Mailer, metrics: Metrics): Mailer {
  const counter = metrics.counter('archive_mails_total', 'Attempts to send a mail, by result.', ['result']);
  return {
    ...mailer,
    send: async (message, attempt) => {
      try {
        await mailer.send(message, attempt);
      } catch (error) {
        counter.inc({ result: reasonOf(error) });
        throw error;
      }
      counter.inc({ result: 'sent' });
    },
  };
}

/**
 * Returns the reason why a mail was not sent, from nodemailer's error code and the server's reply code (RFC 5321,
 * section 4.2.1).
 */
function reasonOf(error: unknown): 'login' | 'unreachable' | 'later' | 'refused' | 'other' {
  const { cause } = error as Error;
  const { code = '', responseCode = 0 } = (cause ?? {}) as { code?: string; responseCode?: number };
  if (code === 'EAUTH' || responseCode === 530 || responseCode === 535) return 'login';
  if (error instanceof MailServerUnavailable) return 'unreachable';
  if (responseCode >= 500) return 'refused';
  return responseCode >= 400 ? 'later' : 'other';
}
