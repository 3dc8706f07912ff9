import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A mail that arrived over SMTP, as its reader has it. */
export interface ArrivedMail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where an answer goes, if the mail says so. */
  readonly replyTo: string | undefined;
  /** Every byte of it, as it came over the wire. */
  readonly raw: string;
}

/** A real mail server on this machine, whose letters a test can read. */
export interface Inbox {
  readonly url: string;
  /** Everything that has arrived for an address, the oldest first. */
  to(address: string): ArrivedMail[];
  /** Waits until a further mail with this subject arrives, and takes it out. @throws Error after ten seconds without one */
  next(address: string, subject: string | RegExp): Promise<ArrivedMail>;
  /** From now on, refuses mails or takes them again. */
  refuse(refusing: boolean): void;
  close(): Promise<void>;
}

export async function openInbox(): Promise<Inbox> {
  let mails: ArrivedMail[] = [];
  let waiting: (() => void)[] = [];
  let isRefusing = false;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    // As mail servers do: the answer names whom it is about.
    onRcptTo: ({ address }, _, done) => done(isRefusing ? new Error(`<${address}>: come back later.`) : null),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        void PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          mails.push({
            to: session.envelope.rcptTo[0]?.address ?? '',
            from: mail.from?.address ?? '',
            subject: mail.subject ?? '',
            text: mail.text ?? '',
            html: mail.html ?? '',
            replyTo: mail.replyTo?.[0]?.address,
            raw: Buffer.concat(chunks).toString(),
          });
          for (const wake of waiting.splice(0)) wake();
          done();
        }, done);
      });
    },
  });
  // A connection that a worker closes while it ends is nothing to report.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };

  return {
    url: `smtp://127.0.0.1:${port}`,
    to: (address) => mails.filter(({ to }) => to === address),
    next: async (address, subject) => {
      const deadline = AbortSignal.timeout(10_000);
      for (;;) {
        const found = mails.find(
          (mail) =>
            mail.to === address &&
            (typeof subject === 'string' ? mail.subject === subject : subject.test(mail.subject)),
        );
        if (found) {
          mails = mails.filter((mail) => mail !== found);
          return found;
        }
        await new Promise<void>((resolve, reject) => {
          waiting.push(resolve);
          deadline.addEventListener('abort', () =>
            reject(
              new Error(
                `No mail "${subject}" for ${address}. There are: ${mails.map((mail) => `${mail.to}: ${mail.subject}`).join('; ') || 'none'}`,
              ),
            ),
          );
        });
      }
    },
    refuse: (refusing) => {
      isRefusing = refusing;
    },
    close: async () => {
      waiting = [];
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

/** The first address in a mail's text that leads to the product. */
export function linkIn(mail: ArrivedMail): URL {
  const [link] = /https?:\/\/\S+/u.exec(mail.text) ?? [];
  if (!link) throw new Error(`There is no link in "${mail.subject}".`);
  return new URL(link);
}

/** The action code of the link in a mail. */
export function codeIn(mail: ArrivedMail): string {
  const code = linkIn(mail).searchParams.get('oobCode');
  if (!code) throw new Error(`There is no code in "${mail.subject}".`);
  return code;
}
