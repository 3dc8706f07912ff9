import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import { diagnoseSmtp } from '#server/platform/mail/smtp-diagnostics.ts';
import { type Check, queryRows, requireArchive, ok, warn } from './check.ts';

const requestTimeoutMs = 5_000;

const maxClaimDays = 7;

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
        'select count(*)::int as open, min(created_at) as oldest from reports where closed_at is null and is_confirmed and item_id is null',
      );
      if (open === 0 || !oldest) return ok('No open reports.');
      return warn(
        `${open === 1 ? '1 report is' : `${open} reports are`} open, the oldest since ${oldest.toISOString().slice(0, 10)}. Staff decide them in the staff console.`,
      );
    },
  },
  {
    name: 'claims',
    needs: 'tables',
    run: async (subject) => {
      if (!(await requiresConfirmation(requireArchive(subject).context.db))) return ok('No confirmation is required.');
      const [row] = await queryRows<{ waiting: number; oldest: Date | null; disputes: number }>(
        subject,
        `select count(*)::int as waiting, min(created_at) as oldest,
           (select count(*)::int from disputes where closed_at is null) as disputes
         from claims where state = 'waiting'`,
      );
      const { waiting = 0, oldest = null, disputes = 0 } = row ?? {};
      if (waiting + disputes === 0) return ok('No claims are waiting, and no disputes are open.');
      const since = oldest ? `, the oldest since ${oldest.toISOString().slice(0, 10)}` : '';
      const message = `Waiting claims: ${waiting}${since}. Open disputes: ${disputes}. Staff decide them in the staff console.`;
      const isOverdue = oldest !== null && Date.now() - oldest.getTime() > maxClaimDays * 86_400_000;
      return isOverdue || disputes > 0 ? warn(message) : ok(message);
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
