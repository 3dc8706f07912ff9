import { diagnoseSmtp } from '#server/platform/mail/smtp-diagnostics.ts';
import { type Check, queryRows, ok, warn } from './check.ts';

const requestTimeoutMs = 5_000;

/** Checks the mail server, open reports by members, and the running server. */
export const runningChecks: readonly Check[] = [
  {
    name: 'mail',
    run: async ({ config }) => {
      const { smtpUrl } = config.mail;
      if (smtpUrl === null)
        return config.isProduction
          ? warn('No mail server is configured, so no one can verify an address or reset a password. Set SMTP_URL.')
          : ok('Emails are stored in the outbox. To send them, set SMTP_URL.');
      await diagnoseSmtp(config, null);
      return ok(
        `${new URL(smtpUrl).hostname} accepts the sign-in. To send a test email, run: npm run archive -- mail test ADDRESS`,
      );
    },
  },
  {
    name: 'reports',
    needs: 'tables',
    run: async (subject) => {
      const [{ open, oldest } = { open: 0, oldest: null }] = await queryRows<{ open: number; oldest: Date | null }>(
        subject,
        'select count(*)::int as open, min(created_at) as oldest from reports where closed_at is null',
      );
      if (open === 0 || !oldest) return ok('No open reports.');
      return warn(
        `${open === 1 ? '1 report by a member is' : `${open} reports by members are`} open, the oldest since ${oldest.toISOString().slice(0, 10)}. To list them, run: npm run archive -- reports list`,
      );
    },
  },
  {
    name: 'server',
    run: async ({ config: { http } }) => {
      const host = http.host === '0.0.0.0' || http.host === '::' ? '127.0.0.1' : http.host;
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${http.port}/healthz`;
      const response = await fetch(url, { signal: AbortSignal.timeout(requestTimeoutMs) }).catch(() => null);
      if (response?.ok) return ok(`Answers on port ${http.port}.`);
      return warn(
        response
          ? `Another program answers on port ${http.port} (${response.status}). Set PORT as for the server.`
          : `The server is not running on port ${http.port}. Start it with: npm start`,
      );
    },
  },
];
