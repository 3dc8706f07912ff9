import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { termsVersion } from '#contract/terms.ts';
import { openArchive, type TestArchive } from '../../testing/archive.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

describe('answers that are not a success (RFC 9457)', () => {
  for (const [title, tags, method, url, body, headers, status, code] of [
    ['an address that leads nowhere', ['asvs-4.1.1'], 'GET', '/api/nothing', undefined, {}, 404, 'not-found'],
    ['a method that is not offered', [], 'PUT', '/api/identity/session', {}, {}, 404, 'not-found'],
    [
      'something else than JSON',
      ['asvs-1.5.2'],
      'POST',
      '/api/identity/sign-in',
      'email=x',
      { 'content-type': 'text/plain' },
      415,
      'unsupported-media-type',
    ],
    [
      'a form of another site',
      ['asvs-3.5.2'],
      'POST',
      '/api/identity/sign-in',
      'a=b',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported-media-type',
    ],
    [
      'JSON that breaks off',
      [],
      'POST',
      '/api/identity/sign-in',
      '{"email":',
      { 'content-type': 'application/json' },
      400,
      'malformed-request',
    ],
    ['no body at all', [], 'POST', '/api/identity/sign-in', undefined, {}, 422, 'validation-failed'],
    [
      'a body beyond its limit',
      ['asvs-5.2.1'],
      'POST',
      '/api/identity/sign-in',
      JSON.stringify({ email: 'x'.repeat(70_000) }),
      { 'content-type': 'application/json' },
      413,
      'payload-too-large',
    ],
    ['a parameter that is no id', [], 'GET', '/api/users/1', undefined, {}, 400, 'malformed-request'],
    ['a parameter that cannot be decoded', [], 'GET', '/api/users/%zz', undefined, {}, 400, 'malformed-request'],
    ['a parameter without end', [], 'GET', `/api/users/${'a'.repeat(300)}`, undefined, {}, 400, 'malformed-request'],
    ['an address with a semicolon that cannot be decoded', [], 'GET', '/api/a;%zz', undefined, {}, 404, 'not-found'],
    ['an address that cannot be decoded', [], 'GET', '/api/%C0%AF?q=%', undefined, {}, 404, 'not-found'],
  ] as const)
    test(`answers ${title} with a problem`, { tags: [...tags] }, async () => {
      const response = await archive.device().fetch(method, url, body, headers);
      expect(response.json()).toMatchObject({
        status,
        code,
        type: `urn:problem:${code}`,
        title: expect.any(String) as string,
      });
      expect([response.statusCode, response.headers['content-type'], response.headers['cache-control']]).toEqual([
        status,
        'application/problem+json',
        'no-store',
      ]);
    });

  test(
    'an unexpected error is logged whole and answered with a reference alone',
    { tags: ['spec-8.24', 'asvs-16.2.4', 'asvs-16.3.4', 'asvs-16.5.1'] },
    async () => {
      // The table that a call needs is gone: something that nobody has thought of.
      await archive.pool.query('alter table listing_counts rename to listing_counts_away');
      const response = await archive.device().fetch('GET', '/api/users/count');
      await archive.pool.query('alter table listing_counts_away rename to listing_counts');
      const { reference, ...problem } = response.json<{ reference: string }>();
      expect(problem).toEqual({
        type: 'urn:problem:internal',
        title: 'Unexpected error',
        status: 500,
        code: 'internal',
      });
      const line = archive.logged.find((entry) => entry.includes(reference));
      expect(line).toContain('listing_counts');
    },
  );
});

describe('bodies that are larger than a few lines', () => {
  test('are not read before it is known who sends them', { tags: ['asvs-5.2.1'] }, async () => {
    await archive.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = archive.app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    // Six megabytes are announced, and never sent.
    socket.write(
      `PUT /api/users/00000000-0000-4000-8000-000000000000 HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:3000\r\n` +
        'Content-Type: application/json\r\nContent-Length: 6000000\r\n\r\n{"imgURL":"',
    );
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /u);
    expect(answer).toContain('auth/unauthenticated');
    expect(answer.toLowerCase()).toContain('connection: close');
  });
});

test('who goes away in the middle of a request is no outage, and nothing to complain about', async () => {
  if (!archive.app.server.listening) await archive.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = archive.app.server.address() as AddressInfo;
  const before = archive.logged.length;
  const arrived = once(archive.app.server, 'request');
  const socket = connect(port, '127.0.0.1');
  socket.write(
    'POST /api/identity/sign-in HTTP/1.1\r\nHost: localhost:3000\r\nOrigin: http://localhost:3000\r\n' +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"email":',
  );
  const [, response] = (await arrived) as [unknown, ServerResponse];
  const gone = once(response, 'close');
  socket.destroy();
  await gone;
  // Another one, from its beginning to its end: by then the first has been given up.
  await fetch(`http://127.0.0.1:${port}/readyz`);
  const levels = archive.logged.slice(before).map((line) => (JSON.parse(line) as { level: number }).level);
  expect(levels.filter((level) => level > 30)).toEqual([]);
});

test('a request that trickles in is ended after two minutes', { tags: ['asvs-15.2.2'] }, () => {
  expect(archive.app.server.requestTimeout).toBe(120_000);
});

describe('what every answer carries', () => {
  test(
    'keeps other sites, and guesses of the browser, out',
    { tags: ['asvs-3.2.1', 'asvs-3.4.2', 'asvs-3.4.4', 'asvs-3.4.5', 'asvs-3.4.6'] },
    async () => {
      const { headers } = await archive.device().fetch('GET', '/api/users');
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('x-powered-by');
    },
  );
});

test(
  'the description at /api/openapi.json has every call of the contract, and no other',
  { tags: ['spec-1.15', 'spec-7.1', 'spec-8.24', 'asvs-2.1.1', 'asvs-13.4.5'] },
  async () => {
    const description = (await archive.device().fetch('GET', '/api/openapi.json')).json<{
      openapi: string;
      paths: Record<string, object>;
    }>();
    expect(description.openapi).toBe('3.1.0');
    const described = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual(Object.keys(endpoints).toSorted());
    expect(description.paths['/api/identity/sign-in']).toMatchObject({
      post: {
        description:
          'Fails with auth/invalid-credential, auth/multi-factor-required, auth/too-many-requests, auth/user-disabled.',
      },
    });
  },
);

test('/healthz says that the process answers, /readyz that its database does', { tags: ['asvs-13.4.5'] }, async () => {
  expect((await archive.device().fetch('GET', '/healthz')).statusCode).toBe(200);
  expect((await archive.device().fetch('GET', '/readyz')).statusCode).toBe(200);
});

describe('the outbox of a trial', () => {
  const letter = { email: 'trial@mail.example', password: 'a long enough word', terms: termsVersion };

  test(
    'shows its mails on this machine, with links that work, and text that is only text',
    { tags: ['asvs-1.1.2', 'asvs-1.2.1'] },
    async () => {
      const trial = await openArchive(inject('databases'), { SMTP_URL: '' });
      try {
        const device = trial.device();
        device.ip = '127.0.0.1';
        const ours = { host: 'localhost:3000' };
        await device.call('POST /api/identity/sign-up', { body: letter });
        await trial.work();
        const list = await device.fetch('GET', '/dev/mail', undefined, ours);
        expect(list.body).toContain('Verify your email address');
        expect(list.body).toMatch(
          /<a href="http:\/\/localhost:3000\/auth\/verify\?mode=verifyEmail&#38;oobCode=[\w-]{43}">/u,
        );

        // From elsewhere, through a tunnel or proxy, or under another name that leads here, there is nothing.
        for (const headers of [
          { host: 'evil.example:3000' },
          { ...ours, 'x-forwarded-for': '203.0.113.9' },
          { ...ours, forwarded: 'for=203.0.113.9' },
        ])
          expect((await device.fetch('GET', '/dev/mail', undefined, headers)).statusCode).toBe(404);
        device.ip = '192.168.1.20';
        expect((await device.fetch('GET', '/dev/mail', undefined, ours)).statusCode).toBe(404);
      } finally {
        await trial.close();
      }
    },
  );

  test.each([
    ['in production', { SMTP_URL: '', NODE_ENV: 'production' }],
    ['under a public address', { SMTP_URL: '', PUBLIC_URL: 'http://alumni.example.edu' }],
    ['where mails are really sent', {}],
  ])(
    'is not there %s: its links would let anybody in',
    { tags: ['asvs-13.4.2', 'asvs-15.2.3'] },
    async (_, environment) => {
      const served = await openArchive(inject('databases'), environment);
      try {
        expect((await served.device().fetch('GET', '/dev/mail')).statusCode).toBe(404);
      } finally {
        await served.close();
      }
    },
  );
});
