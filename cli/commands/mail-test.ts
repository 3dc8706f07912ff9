import { Email } from '#contract/fields.ts';
import { composeMail, createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { readConfig } from '#server/platform/config/config.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { diagnoseSmtp } from '#server/platform/mail/smtp-diagnostics.ts';
import { type Command, Failure } from '../support/command.ts';

export const mailTest: Command = {
  name: 'mail test',
  summary: 'Send a test email now, and print each answer of the mail server.',
  requiredArguments: ['ADDRESS'],
  options: { 'dry-run': { type: 'boolean', summary: 'connect and sign in, without sending an email' } },
  description: [
    'The email uses SMTP_URL and MAIL_FROM like every email of the archive, but is not queued. If it fails, the last line says what to do.',
    'An accepted email is not always delivered. Check the mailbox, and its spam folder.',
  ],
  examples: ['you@mail.example --dry-run', 'you@mail.example'],
  run: async ({ args: [typed = ''], flags }, { environment, print, printStatus }) => {
    const email = Email.safeParse(typed);
    if (!email.success) throw new Failure(`"${typed}" is not a valid email address. Example: ada@mail.example`);
    const config = readConfig(environment);
    if (config.mail.smtpUrl === null)
      throw new Failure(
        'No mail server is configured. Emails are stored in DATA_DIR/outbox and not sent. To send emails, set SMTP_URL, e.g. SMTP_URL=smtps://user:password@mail.example.edu:465',
      );
    if (flags.has('dry-run')) {
      await diagnoseSmtp(config, null, print);
      print(`An email to ${email.data} would be sent now.`);
      printStatus('Dry run: nothing was sent.');
      return;
    }
    const words = createMailBranding({ config, institution: readInstitution(config.institutionFile) });
    const message = composeMail(words, email.data, {
      subject: 'Test email from the alumni archive',
      paragraphs: [
        `This email shows that the alumni archive of ${words.institution} can send emails.`,
        'You do not need to do anything. If it was in your spam folder, tell the person who runs the archive.',
      ],
      footer: `Sent manually by the operator of ${words.publicUrl}.`,
    });
    const delivered = await diagnoseSmtp(config, message, print);
    print(`Accepted: ${delivered?.response ?? ''}`);
    print(`Message ID: ${delivered?.messageId ?? ''}`);
  },
};
