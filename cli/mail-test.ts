import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Email } from '#contract/fields.ts';
import { mailFrom, mailWords } from '#server/domain/mail-words.ts';
import { type Config, readConfig } from '#server/platform/config.ts';
import { openDataFolder, plainDataFolder } from '#server/platform/data-folder.ts';
import { readInstitution } from '#server/platform/institution.ts';
import { composeMail } from '#server/platform/mail.ts';
import { tryMail } from '#server/platform/mail-trial.ts';
import { createMailer } from '#server/platform/mailer.ts';
import { type Command, Failure, type Tools } from './command.ts';

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
    const asked = readConfig(environment);
    if (flags.has('dry-run')) return tryOnly(asked, email.data, { say, note });
    const institution = readInstitution(asked.institutionFile);
    const words = mailWords({ config: asked, institution });
    const message = composeMail({
      to: email.data,
      ...mailFrom(words),
      subject: 'A test of the alumni archive',
      paragraphs: [
        `This mail shows that the alumni archive of ${words.institution} can send mails.`,
        'Nothing has to be done. If it lay among the spam, tell whoever runs the archive.',
      ],
      footer: `Sent by hand by the operator of ${words.publicUrl}.`,
    });
    if (asked.mail.smtpUrl === null) return putIntoOutbox(asked, message, say);
    const delivered = await tryMail(asked, message, say);
    say(`Accepted: ${delivered?.response ?? ''}`);
    say(`Message id: ${delivered?.messageId ?? ''}`);
    return 0;
  },
};

/** As far as it goes without a mail. */
async function tryOnly(asked: Config, to: string, { say, note }: Pick<Tools, 'say' | 'note'>): Promise<number> {
  const isSet = asked.mail.smtpUrl !== null;
  if (isSet) {
    await tryMail(asked, null, say);
    say(`A mail to ${to} would be handed over here.`);
  } else {
    say(`No mail server is set, so it would be put into ${join(asked.dataDir, 'outbox')}, where nobody gets it.`);
    say(howToSet);
  }
  note('Nothing was sent.');
  return isSet ? 0 : 1;
}

const howToSet = 'To send mails, set SMTP_URL, e.g. SMTP_URL=smtps://user:password@mail.example.edu:465';

/** Without a mail server nobody gets it, and that is what the operator has to know. */
async function putIntoOutbox(
  asked: Config,
  message: ReturnType<typeof composeMail>,
  say: (line: string) => void,
): Promise<number> {
  const { path: dataDir } = asked.databaseUrl === null ? openDataFolder(asked.dataDir) : plainDataFolder(asked.dataDir);
  const mailer = createMailer({ mail: asked.mail, dataDir });
  await mailer.send(message, { jobId: randomUUID(), signal: new AbortController().signal });
  mailer.close();
  say(`No mail server is set, so it was put into ${join(dataDir, 'outbox')}, where nobody gets it.`);
  say(howToSet);
  return 1;
}
