import { diagnoseSmtp } from '#server/platform/mail/smtp-diagnostics.ts';
import { type Check, ask, ok, warn } from './check.ts';

const requestTimeoutMs = 5_000;

/** Checks what runs and what members have asked for: mails, reports, and the product itself. */
export const runningChecks: readonly Check[] = [
  {
    about: 'mail',
    run: async ({ config }) => {
      const { smtpUrl } = config.mail;
      if (smtpUrl === null)
        return config.isProduction
          ? warn('No mail server is set: nobody can verify an address or get a new password. Set SMTP_URL.')
          : ok('put into the outbox; set SMTP_URL to send them.');
      await diagnoseSmtp(config, null);
      return ok(`${new URL(smtpUrl).hostname} takes us. To see one arrive: npm run archive -- mail test ADDRESS`);
    },
  },
  {
    about: 'reports',
    needs: 'tables',
    run: async (subject) => {
      const [{ open, oldest } = { open: 0, oldest: null }] = await ask<{ open: number; oldest: Date | null }>(
        subject,
        'select count(*)::int as open, min(created_at) as oldest from reports where closed_at is null',
      );
      if (open === 0 || !oldest) return ok('none is open.');
      return warn(
        `${open === 1 ? 'One report by a member is' : `${open} reports by members are`} open, the oldest since ${oldest.toISOString().slice(0, 10)}. List them: npm run archive -- reports list`,
      );
    },
  },
  {
    about: 'product',
    run: async ({ config: { http } }) => {
      const host = http.host === '0.0.0.0' || http.host === '::' ? '127.0.0.1' : http.host;
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${http.port}/healthz`;
      const response = await fetch(url, { signal: AbortSignal.timeout(requestTimeoutMs) }).catch(() => null);
      if (response?.ok) return ok(`answers at port ${http.port}.`);
      return warn(
        response
          ? `Something else answers at port ${http.port} (${response.status}). Set PORT as for the product’s start.`
          : `It does not run at port ${http.port}. Start it: npm start`,
      );
    },
  },
];
