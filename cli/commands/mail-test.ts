import { Email } from '#contract/fields.ts';
import { toMailSender, createMailBranding } from '#server/domain/mail-branding.ts';
import { readConfig } from '#server/platform/config/config.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { composeMail } from '#server/platform/mail/mail.ts';
import { diagnoseSmtp } from '#server/platform/mail/smtp-diagnostics.ts';
import { type Command, Failure } from '../support/command.ts';

/** `mail test ADDRESS` */
export const mailTest: Command = {
  name: 'mail test',
  summary: 'Sends one mail now, and says step by step what the mail server answers.',
  takes: ['ADDRESS'],
  options: { 'dry-run': { type: 'boolean', summary: 'connects and signs in, and sends nothing' } },
  help: [
    'It goes out by SMTP_URL and MAIL_FROM as all mails do, but not through the queue. When it fails, the last line says what to do.',
    'That a server has accepted a mail does not say that it has arrived: look into the mailbox, and into its folder for spam.',
  ],
  run: async ({ args: [typed = ''], flags }, { environment, say, note }) => {
    const email = Email.safeParse(typed);
    if (!email.success) throw new Failure(`"${typed}" is no address that a mail can go to.`);
    const config = readConfig(environment);
    if (config.mail.smtpUrl === null)
      throw new Failure(
        'No mail server is set, so mails are kept in DATA_DIR/outbox and nobody gets them. To send mails, set SMTP_URL, e.g. SMTP_URL=smtps://user:password@mail.example.edu:465',
      );
    if (flags.has('dry-run')) {
      await diagnoseSmtp(config, null, say);
      say(`A mail to ${email.data} would be handed over here.`);
      note('Nothing was sent.');
      return;
    }
    const words = createMailBranding({ config, institution: readInstitution(config.institutionFile) });
    const message = composeMail({
      to: email.data,
      ...toMailSender(words),
      subject: 'A test of the alumni archive',
      paragraphs: [
        `This mail shows that the alumni archive of ${words.institution} can send mails.`,
        'Nothing has to be done. If it lay among the spam, tell whoever runs the archive.',
      ],
      footer: `Sent by hand by the operator of ${words.publicUrl}.`,
    });
    const delivered = await diagnoseSmtp(config, message, say);
    say(`Accepted: ${delivered?.response ?? ''}`);
    say(`Message id: ${delivered?.messageId ?? ''}`);
  },
};
