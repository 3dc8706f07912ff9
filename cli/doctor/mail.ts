import { tryMail } from '#server/platform/mail-trial.ts';
import { type Check, ask, fail, ok, warn } from './check.ts';

/** Whether mails go out. */
export const mailChecks: readonly Check[] = [
  {
    about: 'mail',
    run: async ({ config }) => {
      const { smtpUrl } = config.mail;
      if (smtpUrl === null) {
        return config.production
          ? warn('No mail server is set: nobody can verify an address or get a new password. Set SMTP_URL.')
          : ok('put into the outbox; set SMTP_URL to send them.');
      }
      try {
        await tryMail(config, null);
        return ok(`${new URL(smtpUrl).hostname} takes us. To see one arrive: npm run archive -- mail test ADDRESS`);
      } catch (error) {
        return fail((error as Error).message);
      }
    },
  },
  {
    about: 'addresses',
    needs: 'tables',
    run: async (subject) => {
      const [{ all, dead } = { all: 0, dead: 0 }] = await ask<{ all: number; dead: number }>(
        subject,
        'select count(*)::int as all, count(mail_failed_to)::int as dead from accounts',
      );
      return ok(
        dead === 0
          ? 'mail gets to all of them, as far as is known.'
          : `${dead} of ${all} take no mail. Their owners are told when they sign in.`,
      );
    },
  },
];
