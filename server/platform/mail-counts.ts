import type { Mailer } from './mail.ts';
import type { Metrics } from './metrics.ts';

/** Counts what becomes of each mail; whom it is for is not counted. */
export function countMails(mailer: Mailer, metrics: Metrics): Mailer {
  const counter = metrics.counter('archive_mails_total', 'Attempts to send a mail, by what became of it.', ['result']);
  return {
    ...mailer,
    send: async (message) => {
      try {
        await mailer.send(message);
      } catch (error) {
        counter.inc({ result: reasonOf(error) });
        throw error;
      }
      counter.inc({ result: 'sent' });
    },
  };
}

const unreachable = new Set(['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EDNS', 'ECONNREFUSED', 'ECONNRESET']);

/** Why a mail was not sent: nodemailer's codes, and the first digit of the server's (RFC 5321, section 4.2.1). */
function reasonOf(error: unknown): 'login' | 'unreachable' | 'later' | 'refused' | 'other' {
  const { code = '', responseCode = 0 } = error as { code?: string; responseCode?: number };
  if (code === 'EAUTH' || responseCode === 530 || responseCode === 535) return 'login';
  if (responseCode >= 500) return 'refused';
  if (responseCode >= 400) return 'later';
  return unreachable.has(code) ? 'unreachable' : 'other';
}
