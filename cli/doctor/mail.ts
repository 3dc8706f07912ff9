import { tryMail } from '#server/platform/mail-trial.ts';
import { type Check, fail, ok, warn } from './check.ts';

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
];
