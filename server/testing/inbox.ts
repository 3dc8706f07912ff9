import type { AddressInfo, Socket } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

/** A mail that arrived over SMTP, as its reader has it. */
export interface ArrivedMail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where an answer goes, if the mail says so. */
  readonly replyTo: string | undefined;
  readonly messageId: string;
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
  /** Everything that has arrived, copies and all, the oldest first. */
  all(): ArrivedMail[];
  /** From now on, refuses mails or takes them again. */
  refuse(refusing: boolean): void;
  /** From now on, does this wrong; nothing with null. */
  trouble(trouble: Trouble | null): void;
  /** How often something has gone wrong by `trouble`. */
  struck(): number;
  /** Closes the port and breaks off what is under way; opens it again. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/**
 * When something goes wrong: `text` while the mail comes (it can only be broken off there), `dot` after the whole of it has
 * come, `stored` when it lies in the mailbox as well.
 */
export type Stage = 'greeting' | 'login' | 'sender' | 'recipient' | 'text' | 'dot' | 'stored';

export interface Trouble {
  readonly at: Stage;
  /** An answer such as `451 4.3.0 Not now`, `drop` for breaking off, or so many milliseconds of silence before all is well. */
  readonly does: string | number;
  /** For mails to this address only. */
  readonly to?: string;
  /** Ends by itself after so many times. */
  readonly times?: number;
}

/** What smtp-server lets out of the answer that a hook gives it. */
type Done = (error?: (Error & { responseCode?: number }) | null) => void;

export async function openInbox(): Promise<Inbox> {
  let mails: ArrivedMail[] = [];
  let waiting: (() => void)[] = [];
  let isRefusing = false;
  let trouble: Trouble | null = null;
  let struck = 0;
  let server = createServer();

  /** Lets the trouble of this stage happen, or goes on. */
  function pass(at: Stage, session: SMTPServerSession, to: string | undefined, done: Done): void {
    const now = trouble;
    if (now?.at !== at || (now.to !== undefined && now.to !== to)) return done();
    struck++;
    if (now.times === struck) trouble = null;
    if (typeof now.does === 'number') return void setTimeout(done, now.does);
    if (now.does === 'drop') {
      for (const connection of server.connections as unknown as Set<{ session: SMTPServerSession; _socket: Socket }>) {
        if (connection.session === session) connection._socket.destroy();
      }
      return;
    }
    const [, code, text] = /^(\d{3}) (.*)$/u.exec(now.does) ?? [];
    done(Object.assign(new Error(text), { responseCode: Number(code) }));
  }

  function createServer(): SMTPServer {
    const made = new SMTPServer({
      authOptional: true,
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      hideENHANCEDSTATUSCODES: true,
      onConnect: (session, done) => pass('greeting', session, undefined, done),
      onAuth: ({ username = '' }, session, done) =>
        pass('login', session, undefined, (error) => (error ? done(error) : done(null, { user: username }))),
      onMailFrom: (_, session, done) => pass('sender', session, undefined, done),
      // As mail servers do: the answer names whom it is about.
      onRcptTo: ({ address }, session, done) =>
        isRefusing ? done(new Error(`<${address}>: come back later.`)) : pass('recipient', session, address, done),
      onData: (stream, session, done) => {
        const to = session.envelope.rcptTo[0]?.address ?? '';
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        const read = () =>
          void PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
            mails.push({
              to,
              from: mail.from?.address ?? '',
              subject: mail.subject ?? '',
              text: mail.text ?? '',
              html: mail.html ?? '',
              replyTo: mail.replyTo?.[0]?.address,
              messageId: mail.messageId ?? '',
              raw: Buffer.concat(chunks).toString(),
            });
            for (const wake of waiting.splice(0)) wake();
            pass('stored', session, to, done);
          }, done);
        let isBrokenOff = false;
        stream.once('data', () => {
          isBrokenOff = true;
          pass('text', session, to, () => {
            isBrokenOff = false;
          });
        });
        stream.on('end', () => {
          if (!isBrokenOff) pass('dot', session, to, (error) => (error ? done(error) : read()));
        });
      },
    });
    // A connection that a worker closes while it ends is nothing to report.
    made.on('error', () => undefined);
    return made;
  }
  const listen = (at: number) => new Promise<void>((resolve) => void server.listen(at, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.server.address() as AddressInfo;
  const goDown = async () => {
    const ended = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    for (const { _socket: socket } of server.connections as unknown as Set<{ _socket: Socket }>) socket.destroy();
    await ended;
  };

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
    all: () => [...mails],
    refuse: (refusing) => {
      isRefusing = refusing;
    },
    trouble: (next) => {
      trouble = next;
      struck = 0;
    },
    struck: () => struck,
    goDown,
    comeBack: async () => {
      server = createServer();
      await listen(port);
    },
    close: async () => {
      waiting = [];
      await goDown();
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
