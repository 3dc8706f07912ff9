import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Inbox, openInbox, type MailFault } from '#server/testing/inbox.ts';
import { AddressRefused, MailServerUnavailable, type Mailer } from './mail.ts';
import { createSmtpMailer } from './smtp.ts';

const attempt = { jobId: 'thejob', signal: new AbortController().signal };
const message = { to: 'ada@mail.example', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };

test.each([
  ['that sends no greeting', [], `Mail server unavailable (ETIMEDOUT).`],
  ['that stops responding after its greeting', ['220 mail.example ESMTP\r\n'], `Mail server unavailable (ETIMEDOUT).`],
  [
    'that stops responding while receiving a mail',
    ['220 mail.example ESMTP\r\n', '250 mail.example\r\n'],
    'The connection to the mail server broke while sending (ETIMEDOUT).',
  ],
])('createSmtpMailer stops waiting for a mail server %s', { tags: ['asvs-16.5.2'] }, async (_, replies, reason) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    const lines = [...replies];
    const say = () => socket.write(lines.shift() ?? '');
    socket.on('data', say).on('error', () => undefined);
    say();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const mailer = createSmtpMailer(`smtp://127.0.0.1:${port}`, 'archive@mail.example', 150);
  try {
    await expect(mailer.send(message, attempt)).rejects.toThrow(reason);
  } finally {
    mailer.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

describe('a mail', () => {
  let inbox: Inbox;
  let mailer: Mailer;
  const open = async (userinfo = '', timeoutMs = 2_000) => {
    inbox = await openInbox();
    mailer = createSmtpMailer(
      inbox.url.replace('//', `//${userinfo}`),
      'Alumni office <archive@campus.example>',
      timeoutMs,
    );
  };
  afterEach(async () => {
    mailer.close();
    await inbox.close();
  });

  test('has the same Message-ID at each attempt, with the domain of its sender', async () => {
    await open();
    await mailer.send(message, attempt);
    await mailer.send(message, attempt);
    await mailer.send(message, { ...attempt, jobId: 'another' });
    expect(inbox.all().map(({ messageId }) => messageId)).toEqual([
      '<thejob@campus.example>',
      '<thejob@campus.example>',
      '<another@campus.example>',
    ]);
  });

  test.each<[MailFault, string | RegExp]>([
    // Connection and login failures affect all mails.
    [{ at: 'greeting', does: '421 4.3.2 Shutting down' }, `Mail server unavailable (421`],
    [{ at: 'greeting', does: '554 5.7.1 Your address is on a list' }, `Mail server unavailable (554`],
    [{ at: 'greeting', does: 'drop' }, `Mail server unavailable (ECONNECTION).`],
    [{ at: 'greeting', does: 10_000 }, `Mail server unavailable (ETIMEDOUT).`],
    [{ at: 'login', does: '535 5.7.8 Wrong password' }, `Mail server unavailable (535`],
    [{ at: 'login', does: '454 4.7.0 Not now' }, `Mail server unavailable (454`],
    [{ at: 'login', does: 'drop' }, `Mail server unavailable (ECONNECTION).`],
    // These failures affect this mail only.
    [{ at: 'sender', does: '451 4.3.0 Not now' }, 'refused the mail (451'],
    [{ at: 'sender', does: '550 5.1.1 Sender unknown' }, 'refused the mail (550'],
    [{ at: 'sender', does: 'drop' }, 'broke while sending (ECONNECTION).'],
    [{ at: 'recipient', does: '450 4.2.0 Greylisted' }, 'refused the mail (450'],
    [{ at: 'recipient', does: '554 5.7.1 Relay access denied' }, 'refused the mail (554'],
    [{ at: 'recipient', does: '552 5.2.2 Mailbox full' }, 'refused the mail (552'],
    [{ at: 'recipient', does: 'drop' }, 'broke while sending (ECONNECTION).'],
    [{ at: 'text', does: 'drop' }, 'broke while sending (ECONNECTION).'],
    [{ at: 'dot', does: '451 4.3.0 Not now' }, 'refused the mail (451'],
    [{ at: 'dot', does: '552 5.3.4 Too large' }, 'refused the mail (552'],
    [{ at: 'dot', does: '550 5.7.1 Looks like spam' }, 'refused the mail (550'],
    [{ at: 'dot', does: 'drop' }, 'broke while sending (ECONNECTION).'],
    [{ at: 'stored', does: 'drop' }, 'broke while sending (ECONNECTION).'],
  ])('that fails with %o is retried, and the error contains the reason', async (trouble, reason) => {
    await open('user:secret@', 300);
    inbox.simulateFault(trouble);
    const failure = await mailer.send(message, attempt).catch((error: unknown) => error as Error);
    expect(failure).not.toBeInstanceOf(AddressRefused);
    expect((failure as Error).message).toContain(reason);
    expect(inbox.countFaults()).toBeGreaterThan(0);
  });

  test.each<MailFault>([
    { at: 'recipient', does: '550 5.1.1 <ada@mail.example>: Recipient address rejected: User unknown' },
    { at: 'recipient', does: '550 No such user here' },
    { at: 'dot', does: '550 5.1.1 No such user here' },
  ])('that fails with %o is permanently refused', async (trouble) => {
    await open();
    inbox.simulateFault(trouble);
    await expect(mailer.send(message, attempt)).rejects.toBeInstanceOf(AddressRefused);
  });

  test('is sent through a slow server whose pauses stay below the time limit', async () => {
    await open('', 400);
    for (const at of ['greeting', 'sender', 'recipient', 'dot'] as const) {
      inbox.simulateFault({ at, does: 200 });
      await mailer.send(message, attempt);
    }
    expect(inbox.all()).toHaveLength(4);
  });

  test(
    'fails immediately after a failed connection, and is sent when the server is available again',
    { tags: ['release'] },
    async () => {
      await open('', 300);
      inbox.simulateFault({ at: 'greeting', does: 10_000 });
      await expect(mailer.send(message, attempt)).rejects.toBeInstanceOf(MailServerUnavailable);
      const struck = inbox.countFaults();
      await expect(mailer.send(message, attempt)).rejects.toBeInstanceOf(MailServerUnavailable);
      expect(inbox.countFaults(), 'no new connection').toBe(struck);
      inbox.simulateFault(null);
      await expect
        .poll(() => mailer.send(message, attempt).then(() => 'sent', String), { timeout: 60_000 })
        .toBe('sent');
    },
  );

  test('closes its connection when its job is aborted', async () => {
    await open('', 60_000);
    inbox.simulateFault({ at: 'sender', does: 60_000 });
    const control = new AbortController();
    const sending = mailer.send(message, { jobId: 'thejob', signal: control.signal });
    await expect.poll(() => inbox.countFaults(), { timeout: 60_000 }).toBe(1);
    control.abort(new Error('That is enough.'));
    await expect(sending).rejects.toThrow('Message sending aborted');
  });
});
