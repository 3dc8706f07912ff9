import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openInbox } from '#server/testing/inbox.ts';
import { freePort } from '#server/testing/free-port.ts';
import { diagnoseSmtp } from '#server/platform/mail/smtp-diagnostics.ts';
import { type CommandResult, runCommand } from '../testing/run-command.ts';

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
): Promise<CommandResult> =>
  runCommand(
    { DATA_DIR: dataDir, DATABASE_URL: 'postgres://nobody@localhost/none', SMTP_URL, ...more },
    'mail',
    'test',
    to,
    ...options,
  );

/** Starts an SMTP server with the self-signed test certificate of the package `smtp-server`. @returns its port */
async function startSmtpServer(options: SMTPServerOptions): Promise<number> {
  const server = new SMTPServer({ authOptional: true, ...options });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(() => new Promise<void>((resolve) => server.close(resolve)));
  return (server.server.address() as AddressInfo).port;
}

describe('mail test', () => {
  test('sends an email and prints each response of the server', async () => {
    const inbox = await openInbox();
    closings.push(() => inbox.close());
    const { code, stdout, stderr } = await send(inbox.url, { MAIL_FROM: 'Office <office@uni.example>' });
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^S: 220 /u);
    for (const line of [
      'The connection is NOT encrypted.',
      expect.stringContaining('C: MAIL FROM:<office@uni.example>'),
      expect.stringContaining('C: RCPT TO:<office@mail.example>'),
    ])
      expect(lines).toContainEqual(line);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^Accepted: 250 /u),
      expect.stringMatching(/^Message ID: <.+@uni\.example>$/u),
    ]);
    const mail = await inbox.next('office@mail.example', 'Test email from the alumni archive');
    expect(mail.text).toContain('can send emails');
  });

  test('connects and signs in with --dry-run, but sends no email', async () => {
    const sent: string[] = [];
    const port = await startSmtpServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ password }, _, done) => done(password === 'word' ? null : new Error('535 No'), { user: 'office' }),
      onMailFrom: ({ address }, _, done) => {
        sent.push(address);
        done();
      },
    });
    const right = await send(`smtp://office:word@127.0.0.1:${port}`, {}, 'office@mail.example', '--dry-run');
    expect([right.code, right.stderr]).toEqual([0, 'Dry run: nothing was sent.']);
    expect(right.stdout).toMatch(/^C: AUTH PLAIN [^]*\nAn email to office@mail\.example would be sent now\.$/mu);
    const wrong = await send(`smtp://office:wrongword@127.0.0.1:${port}`, {}, 'office@mail.example', '--dry-run');
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('refuses the login') });
    expect(sent).toEqual([]);
    expect((await runCommand({}, 'mail', 'test', '--help')).stdout).toMatch(/^ {2}--dry-run /mu);
  });

  test('reports the sign-in to the mail server without printing the password', async () => {
    const port = await startSmtpServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        done(username === 'office' && password === 'p@ss/word' ? null : new Error('535 No'), { user: 'office' }),
    });
    const right = await send(`smtp://office:p%40ss%2Fword@127.0.0.1:${port}`);
    expect(right.stdout).toMatch(/^S: 235 /mu);
    const wrong = await send(`smtp://office:wrongword@127.0.0.1:${port}`);
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('refuses the login. Check user and password in SMTP_URL'),
    });
    for (const { stdout, stderr } of [right, wrong]) expect(stdout + stderr).not.toMatch(/p@ss|wrongword|cEBzcy/u);
  });

  test('reports an invalid certificate, and a port without TLS', { tags: ['asvs-12.3.2'] }, async () => {
    const tls = await startSmtpServer({ secure: true });
    expect(await send(`smtps://127.0.0.1:${tls}`)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The TLS certificate of 127\.0\.0\.1 at port \d+ is not valid: /u),
    });
    const plain = await startSmtpServer({ disabledCommands: ['STARTTLS'] });
    expect((await send(`smtps://127.0.0.1:${plain}`)).stderr).toContain('Use smtp:// instead of smtps:// in SMTP_URL');
  });

  test('reports a rejected sender or recipient', async () => {
    const sender = await startSmtpServer({
      disabledCommands: ['STARTTLS'],
      onMailFrom: (_, __, done) => done(new Error('Not one of ours')),
    });
    expect(await send(`smtp://127.0.0.1:${sender}`, { MAIL_FROM: 'x@uni.example' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('refuses the sender x@uni.example. Set MAIL_FROM'),
    });
    const recipient = await startSmtpServer({
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_, __, done) => done(new Error('Relaying denied')),
    });
    const { stderr } = await send(`smtp://127.0.0.1:${recipient}`);
    expect(stderr).toContain('refuses mail for this recipient.');
    expect(stderr).toContain('Relaying denied');
  });

  test('reports a closed port, an unknown host, and a server that does not respond', async () => {
    const port = await freePort();
    expect((await send(`smtp://127.0.0.1:${port}`)).stderr).toContain(
      `Connection refused by 127.0.0.1 at port ${port}.`,
    );
    expect((await send('smtp://mail.invalid:587')).stderr).toContain('The host mail.invalid was not found.');
    const silent = createServer().listen(0, '127.0.0.1');
    closings.push(() => new Promise((resolve) => silent.close(resolve)));
    await new Promise((resolve) => silent.once('listening', resolve));
    const smtpUrl = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(diagnoseSmtp({ mail: { smtpUrl, from: 'x@uni.example' } }, null, undefined, 1_000)).rejects.toThrow(
      'accepts the connection but sends no greeting. If the port expects TLS, use smtps://',
    );
  });

  test('fails if no mail server is configured', async () => {
    for (const options of [[], ['--dry-run']])
      expect(await send('', {}, 'office@mail.example', ...options)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^No mail server is configured\. .* To send emails, set SMTP_URL/u) as string,
      });
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('rejects an invalid address before connecting', async () => {
    expect(await send('smtp://127.0.0.1:1', {}, 'office')).toMatchObject({
      code: 1,
      stderr: '"office" is not a valid email address. Example: ada@mail.example',
    });
  });
});
