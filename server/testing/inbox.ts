import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { type Receiver, type Stage, createSmtpReceiver } from './smtp-receiver.ts';

export interface ArrivedMail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly replyTo: string | undefined;
  readonly messageId: string;
  readonly raw: string;
}

export interface Inbox {
  readonly url: string;
  to(address: string): ArrivedMail[];
  next(address: string, subject: string | RegExp): Promise<ArrivedMail>;
  all(): ArrivedMail[];
  refuse(refusing: boolean): void;
  simulateFault(trouble: MailFault | null): void;
  countFaults(): number;
  stop(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface MailFault {
  readonly at: Stage;
  /** A reply such as `451 4.3.0 Not now`, `drop` to close the connection, or milliseconds before a normal reply. */
  readonly does: string | number;
  readonly to?: string;
  readonly times?: number;
}

export async function openInbox(): Promise<Inbox> {
  let mails: ArrivedMail[] = [];
  let waiting: (() => void)[] = [];
  let isRefusing = false;
  let trouble: MailFault | null = null;
  let struck = 0;
  const receiver: Receiver = {
    decide: async (stage, recipient) => {
      // Real mail servers also name the recipient in the reply.
      if (isRefusing && stage === 'recipient') return `550 <${recipient}>: come back later.`;
      const now = trouble;
      if (now?.at !== stage || (now.to !== undefined && now.to !== recipient)) return null;
      struck++;
      if (now.times === struck) trouble = null;
      if (typeof now.does === 'string') return now.does;
      await delay(now.does, undefined, { ref: false });
      return null;
    },
    store: async (to, raw) => {
      const mail = await PostalMime.parse(raw);
      mails.push({
        to,
        from: mail.from?.address ?? '',
        subject: mail.subject ?? '',
        text: mail.text ?? '',
        html: mail.html ?? '',
        replyTo: mail.replyTo?.[0]?.address,
        messageId: mail.messageId ?? '',
        raw: raw.toString(),
      });
      for (const wake of waiting.splice(0)) wake();
    },
  };
  let { server, sockets } = createSmtpReceiver(receiver);
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  return {
    url: `smtp://127.0.0.1:${port}`,
    to: (address) => mails.filter(({ to }) => to === address),
    next: async (address, subject) => {
      const deadline = AbortSignal.timeout(60_000);
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
                `No mail "${subject}" for ${address}. Mails: ${mails.map((mail) => `${mail.to}: ${mail.subject}`).join('; ') || 'none'}`,
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
    simulateFault: (next) => {
      trouble = next;
      struck = 0;
    },
    countFaults: () => struck,
    stop,
    restart: async () => {
      ({ server, sockets } = createSmtpReceiver(receiver));
      await listen(port);
    },
    close: async () => {
      waiting = [];
      await stop();
    },
  };
}

export function findLink(mail: ArrivedMail): URL {
  const [link] = /https?:\/\/\S+/u.exec(mail.text) ?? [];
  if (!link) throw new Error(`There is no link in "${mail.subject}".`);
  const [, button = ''] = /<a href="([^"]+)"/u.exec(mail.html) ?? [];
  if (button.replaceAll('&#38;', '&') !== link) throw new Error(`The button of "${mail.subject}" has another link.`);
  return new URL(link);
}

export function findCode(mail: ArrivedMail): string {
  const code = findLink(mail).searchParams.get('oobCode');
  if (!code) throw new Error(`There is no code in "${mail.subject}".`);
  return code;
}
