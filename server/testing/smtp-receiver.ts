import { createServer, type Server, type Socket } from 'node:net';

/*
 * An SMTP server (RFC 5321) for tests, without TLS and pipelining. The package smtp-server waits 100 ms before each
 * greeting, which was a fifth of the test time.
 */

/** `text` is the first line of the mail, `dot` its end, `stored` the time between storing and the reply. */
export type Stage = 'greeting' | 'login' | 'sender' | 'recipient' | 'text' | 'dot' | 'stored';

export interface Receiver {
  /**
   * Decides what happens at a stage.
   * @returns null to continue, an error reply such as `451 4.3.0 Not now`, or `drop` to close the connection without a
   *   reply
   */
  readonly decide: (stage: Stage, recipient: string) => Promise<string | null>;
  readonly store: (recipient: string, raw: Buffer) => Promise<void>;
}

export function createSmtpReceiver(receiver: Receiver): { server: Server; sockets: ReadonlySet<Socket> } {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    // The client, or a test, may close the connection at any time.
    serveSession(socket, receiver).catch(() => socket.destroy());
  });
  return { server, sockets };
}

async function serveSession(socket: Socket, { decide, store }: Receiver): Promise<void> {
  let recipient = '';
  let mail: string[] | null = null;
  const reply = (text: string) => void socket.write(`${text}\r\n`);
  const pass = async (stage: Stage): Promise<boolean> => {
    const refusal = await decide(stage, recipient);
    if (refusal === 'drop') socket.destroy();
    else if (refusal !== null) reply(refusal);
    return refusal === null;
  };
  const acceptAfter = async (stage: Stage): Promise<void> => {
    if (await pass(stage)) reply('250 Accepted');
  };

  if (!(await pass('greeting'))) return void socket.end();
  reply('220 mail.test ESMTP');
  for await (const line of readLines(socket)) {
    if (mail) {
      if (mail.length === 0 && !(await pass('text'))) return;
      if (line !== '.') {
        mail.push(line.startsWith('.') ? line.slice(1) : line);
        continue;
      }
      const raw = Buffer.from(`${mail.join('\r\n')}\r\n`, 'latin1');
      mail = null;
      if (!(await pass('dot'))) continue;
      await store(recipient, raw);
      await acceptAfter('stored');
      continue;
    }
    const [command = ''] = /^(?:MAIL FROM|RCPT TO|[A-Z]+)/iu.exec(line) ?? [];
    switch (command.toUpperCase()) {
      case 'EHLO':
        reply('250-mail.test\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN');
        break;
      case 'AUTH':
        if (await pass('login')) reply('235 Authentication successful');
        break;
      case 'MAIL FROM':
        await acceptAfter('sender');
        break;
      case 'RCPT TO':
        recipient = Buffer.from(/<([^>]*)>/u.exec(line)?.[1] ?? '', 'latin1').toString();
        await acceptAfter('recipient');
        break;
      case 'DATA':
        mail = [];
        reply('354 End data with <CR><LF>.<CR><LF>');
        break;
      case 'QUIT':
        reply('221 Bye');
        return void socket.end();
      default:
        reply('502 Command not implemented');
    }
  }
}

async function* readLines(socket: Socket): AsyncGenerator<string> {
  socket.setEncoding('latin1');
  let rest = '';
  for await (const chunk of socket) {
    const lines = `${rest}${String(chunk)}`.split('\r\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
