import type { AddressInfo } from 'node:net';
import { describe, expect, inject, test } from 'vitest';
import { termsVersion } from '#contract/terms.ts';
import { openArchive } from '#server/testing/archive.ts';
import { newToken } from '../crypto/tokens.ts';
import { createLog, redactSecrets } from './log.ts';

const lines: string[] = [];
const log = createLog('info', { write: (line) => void lines.push(line) });

function logged(write: () => void): string {
  lines.length = 0;
  write();
  expect(lines).toHaveLength(1);
  const [line = ''] = lines;
  expect(() => JSON.parse(line) as unknown).not.toThrow();
  return line;
}

describe('createLog', () => {
  test('logs an error with its causes, without the fields that libraries add', () => {
    const refused = Object.assign(new Error('duplicate key value violates unique constraint "accounts_email_key"'), {
      code: '23505',
      table: 'accounts',
      constraint: 'accounts_email_key',
      detail: 'Key (email)=(ada@mail.example) already exists.',
      parameters: ['hunter two'],
    });
    const line = logged(() => log.error({ err: new Error('Saving failed.', { cause: refused }) }, 'unexpected error'));
    for (const fact of ['Saving failed.', '23505', 'accounts_email_key', 'log.test.ts']) expect(line).toContain(fact);
    for (const secret of ['mail.example', 'already exists', 'hunter']) expect(line).not.toContain(secret);
  });

  for (const [title, write, tags = []] of [
    ['in a message', (secret: string) => log.warn(`550 <${secret}>: unknown`)],
    ['in a path', (secret: string) => log.info({ path: `/anything/${secret}` }, 'request')],
    ['in a path, escaped', (secret: string) => log.info({ path: `/x/${encodeURIComponent(secret)}` }, 'request')],
    [
      'in a query',
      (secret: string) => log.info({ url: `/auth/verify?mode=x&oobCode=${secret}` }, 'request'),
      ['asvs-14.2.1'],
    ],
    ['in an object', (secret: string) => log.error({ job: { payload: { email: secret } } }, 'failed')],
    ['in an error', (secret: string) => log.error({ err: new Error(`for ${secret}, no`) }, 'failed')],
    ['in JSON inside of a text', (secret: string) => log.error(JSON.stringify({ to: [secret] }))],
  ] as [string, (secret: string) => void, string[]?][])
    test(`redacts email addresses, tokens and hashes ${title}`, { tags: ['asvs-16.2.5', ...tags] }, () => {
      const { token } = newToken();
      const hex = Buffer.from(token, 'base64url').toString('hex');
      for (const secret of [
        'Ada.O’Brien+x@mail.example',
        token,
        hex,
        '$argon2id$v=19$m=1,t=2,p=1$c2FsdA$aGFzaA',
        '$firebase-scrypt$k=0123456789ab$c2FsdA$aGFzaA',
      ]) {
        const line = logged(() => write(secret));
        for (const form of [secret, encodeURIComponent(secret), 'mail.example', 'aGFzaA'])
          expect(line).not.toContain(form);
      }
    });

  test('writes no personal data when sign-ups and sign-ins fail in many ways', { tags: ['asvs-16.2.1'] }, async () => {
    const archive = await openArchive(inject('databases'));
    try {
      const [email, password] = ['ada.lovelace@mail.example', 'the analytical engine'];
      await archive.app.listen({ port: 0, host: '127.0.0.1' });
      const { port } = archive.app.server.address() as AddressInfo;
      const origin = 'http://localhost:3000';
      const post = (path: string, body: unknown, cookie = '') =>
        fetch(`http://127.0.0.1:${port}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin, cookie },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        });
      archive.inbox.refuse(true);
      const signedUp = await post('/api/identity/sign-up', { email, password, terms: termsVersion });
      const [cookie = ''] = signedUp.headers.getSetCookie();
      const token = /=([\w-]{43})/u.exec(cookie)?.[1] ?? '';
      expect(token).not.toBe('');
      await archive.runJobs();
      await post('/api/identity/sign-in', { email, password: `${password}?` });
      await post('/api/identity/sign-in', `{"email":"${email}","password":"${password}`);
      for (const path of [
        `/api/users/${email}`,
        `/auth/verify?oobCode=${token}`,
        `/verify/${token}`,
        `/x/${encodeURIComponent(email)}`,
      ])
        await fetch(`http://127.0.0.1:${port}${path}`);
      await archive.pool.query(
        `alter table accounts add constraint surprise check (email <> 'b@mail.example') not valid`,
      );
      await archive.pool.query('alter table listings rename to listings_away');
      await fetch(`http://127.0.0.1:${port}/api/search?q=${encodeURIComponent(email)}`, { headers: { cookie } });
      await post('/api/identity/sign-up', { email: 'b@mail.example', password, terms: termsVersion });

      const lines = archive.logged.join('');
      // Checks that each failure was logged.
      for (const fact of ['"request"', '/api/identity/sign-in', '/verify/', 'listings', 'surprise', 'come back later'])
        expect(lines).toContain(fact);
      for (const secret of [email, encodeURIComponent(email), 'lovelace', 'b@mail', password, token, 'argon2id'])
        expect(lines).not.toContain(secret);
    } finally {
      await archive.close();
    }
  });

  test('redacts a line of two million characters in linear time', () => {
    const length = 2_000_000;
    for (const word of ['a', 'a-', '%4', 'a@', '@', '/media/a', '$argon2', '0a-']) {
      const line = word.repeat(length / word.length);
      // In quadratic time, this would take most of an hour.
      expect(redactSecrets(line).length).toBeGreaterThan(0);
    }
  });
});
