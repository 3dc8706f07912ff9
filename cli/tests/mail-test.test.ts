import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openInbox } from '#server/testing/inbox.ts';
import { freePort } from '#server/testing/free-port.ts';
import { diagnoseSmtp } from '#server/platform/mail/smtp-diagnostics.ts';
import { type Answer, type } from '../testing/run-command.ts';

const closings: (() => Promise<unknown>)[] = [];
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'archive-mail-'));
});
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
  rmSync(dataDir, { recursive: true });
});

const send = (
  SMTP_URL: string,
  more: NodeJS.ProcessEnv = {},
  to = 'office@mail.example',
  ...options: string[]
): Promise<Answer> =>
  type(
    { DATA_DIR: dataDir, DATABASE_URL: 'postgres://nobody@localhost/none', SMTP_URL, ...more },
    'mail',
    'test',
    to,
    ...options,
  );

/** A mail server with whatever habits; its certificate is the one that the library brings for trials. */
async function serve(options: SMTPServerOptions): Promise<number> {
  const server = new SMTPServer({ authOptional: true, ...options });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(() => new Promise<void>((resolve) => server.close(resolve)));
  return (server.server.address() as AddressInfo).port;
}

describe('mail test', () => {
  test('sends one mail now, and says what the server has answered, step by step', async () => {
    const inbox = await openInbox();
    closings.push(() => inbox.close());
    const { code, said, noted } = await send(inbox.url, { MAIL_FROM: 'Office <office@uni.example>' });
    expect([code, noted]).toEqual([0, '']);
    const lines = said.split('\n');
    expect(lines[0]).toMatch(/^S: 220 /u);
    for (const line of [
      'The connection is NOT encrypted.',
      expect.stringContaining('C: MAIL FROM:<office@uni.example>'),
      expect.stringContaining('C: RCPT TO:<office@mail.example>'),
    ])
      expect(lines).toContainEqual(line);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^Accepted: 250 /u),
      expect.stringMatching(/^Message id: <.+@uni\.example>$/u),
    ]);
    const mail = await inbox.next('office@mail.example', 'A test of the alumni archive');
    expect(mail.text).toContain('can send mails');
  });

  test('--dry-run connects and signs in, and sends nothing', async () => {
    const sent: string[] = [];
    const port = await serve({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ password }, _, done) => done(password === 'word' ? null : new Error('535 No'), { user: 'office' }),
      onMailFrom: ({ address }, _, done) => {
        sent.push(address);
        done();
      },
    });
    const right = await send(`smtp://office:word@127.0.0.1:${port}`, {}, 'office@mail.example', '--dry-run');
    expect([right.code, right.noted]).toEqual([0, 'Nothing was sent.']);
    expect(right.said).toMatch(/^C: AUTH PLAIN [^]*\nA mail to office@mail\.example would be handed over here\.$/mu);
    const wrong = await send(`smtp://office:wrongword@127.0.0.1:${port}`, {}, 'office@mail.example', '--dry-run');
    expect(wrong).toMatchObject({ code: 1, noted: expect.stringContaining('refuses the sign-in') });
    expect(sent).toEqual([]);
    expect((await type({}, 'mail', 'test', '--help')).said).toMatch(/^ {2}--dry-run /mu);
  });

  test('says that it has signed in, and never with what', async () => {
    const port = await serve({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        done(username === 'office' && password === 'p@ss/word' ? null : new Error('535 No'), { user: 'office' }),
    });
    const right = await send(`smtp://office:p%40ss%2Fword@127.0.0.1:${port}`);
    expect(right.said).toMatch(/^S: 235 /mu);
    const wrong = await send(`smtp://office:wrongword@127.0.0.1:${port}`);
    expect(wrong).toMatchObject({
      code: 1,
      noted: expect.stringContaining('refuses the sign-in. Check user and password in SMTP_URL'),
    });
    for (const { said, noted } of [right, wrong]) expect(said + noted).not.toMatch(/p@ss|wrongword|cEBzcy/u);
  });

  test('says that the certificate does not count, or that there is no TLS at this port', async () => {
    const tls = await serve({ secure: true });
    expect(await send(`smtps://127.0.0.1:${tls}`)).toMatchObject({
      code: 1,
      noted: expect.stringMatching(/^The certificate of 127\.0\.0\.1 at port \d+ does not count: /u),
    });
    const plain = await serve({ disabledCommands: ['STARTTLS'] });
    expect((await send(`smtps://127.0.0.1:${plain}`)).noted).toContain(
      'Write smtp:// in SMTP_URL in place of smtps://',
    );
  });

  test('says which sender or recipient was refused', async () => {
    const sender = await serve({
      disabledCommands: ['STARTTLS'],
      onMailFrom: (_, __, done) => done(new Error('Not one of ours')),
    });
    expect(await send(`smtp://127.0.0.1:${sender}`, { MAIL_FROM: 'x@uni.example' })).toMatchObject({
      code: 1,
      noted: expect.stringContaining('does not let this sender in: x@uni.example. Set MAIL_FROM'),
    });
    const recipient = await serve({
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_, __, done) => done(new Error('Relaying denied')),
    });
    const { noted } = await send(`smtp://127.0.0.1:${recipient}`);
    expect(noted).toContain('does not take mails for this address.');
    expect(noted).toContain('Relaying denied');
  });

  test('says that nothing listens there, that there is no such server, or that it does not answer', async () => {
    const port = await freePort();
    expect((await send(`smtp://127.0.0.1:${port}`)).noted).toContain(`Nothing listens on 127.0.0.1 at port ${port}.`);
    expect((await send('smtp://mail.invalid:587')).noted).toContain('There is no server named mail.invalid.');
    const silent = createServer().listen(0, '127.0.0.1');
    closings.push(() => new Promise((resolve) => silent.close(resolve)));
    await new Promise((resolve) => silent.once('listening', resolve));
    const smtpUrl = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(diagnoseSmtp({ mail: { smtpUrl, from: 'x@uni.example' } }, null, undefined, 1_000)).rejects.toThrow(
      'takes the call and says nothing. If that is a port for TLS, write smtps://',
    );
  });

  test('without a mail server, says that nobody gets mails, and fails', async () => {
    for (const options of [[], ['--dry-run']])
      expect(await send('', {}, 'office@mail.example', ...options)).toEqual({
        code: 1,
        said: '',
        noted: expect.stringMatching(/^No mail server is set, .* To send mails, set SMTP_URL/u) as string,
      });
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('an address that is none is refused before anything is sent', async () => {
    expect(await send('smtp://127.0.0.1:1', {}, 'office')).toMatchObject({
      code: 1,
      noted: '"office" is no address that a mail can go to.',
    });
  });
});
