import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { campusEndpoints } from '#contract/campus.ts';
import { endpoints } from '#contract/endpoints.ts';
import { termsVersion } from '#contract/terms.ts';
import { openArchive, type TestArchive } from '#server/testing/archive.ts';

let archive: TestArchive;
beforeAll(async () => {
  // With each optional part of the API.
  const site = 'https://portal.example';
  archive = await openArchive(inject('databases'), {
    AUTH_TOKEN_SYNC_URL: `${site}/session`,
    AUTH_TOKEN_SYNC_ALLOW: site,
  });
});
afterAll(() => archive.close());

describe('error responses (RFC 9457)', () => {
  for (const [title, tags, method, url, body, headers, status, code] of [
    ['an unknown path', ['asvs-4.1.1'], 'GET', '/api/nothing', undefined, {}, 404, 'not-found'],
    ['an unsupported method', [], 'PUT', '/api/identity/session', {}, {}, 404, 'not-found'],
    [
      'a body that is not JSON',
      ['asvs-1.5.2'],
      'POST',
      '/api/identity/sign-in',
      'email=x',
      { 'content-type': 'text/plain' },
      415,
      'unsupported-media-type',
    ],
    [
      'a form body',
      ['asvs-3.5.2'],
      'POST',
      '/api/identity/sign-in',
      'a=b',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported-media-type',
    ],
    [
      'truncated JSON',
      [],
      'POST',
      '/api/identity/sign-in',
      '{"email":',
      { 'content-type': 'application/json' },
      400,
      'malformed-request',
    ],
    ['a missing body', [], 'POST', '/api/identity/sign-in', undefined, {}, 422, 'validation-failed'],
    [
      'a body above its size limit',
      ['asvs-5.2.1'],
      'POST',
      '/api/identity/sign-in',
      JSON.stringify({ email: 'x'.repeat(70_000) }),
      { 'content-type': 'application/json' },
      413,
      'payload-too-large',
    ],
    ['a parameter that is not an id', [], 'GET', '/api/users/1', undefined, {}, 400, 'malformed-request'],
    ['a parameter that cannot be decoded', [], 'GET', '/api/users/%zz', undefined, {}, 400, 'malformed-request'],
    [
      'a parameter of 300 characters',
      [],
      'GET',
      `/api/users/${'a'.repeat(300)}`,
      undefined,
      {},
      400,
      'malformed-request',
    ],
    ['a path with a semicolon that cannot be decoded', [], 'GET', '/api/a;%zz', undefined, {}, 404, 'not-found'],
    ['a path that cannot be decoded', [], 'GET', '/api/%C0%AF?q=%', undefined, {}, 404, 'not-found'],
  ] as const)
    test(`return ${code} for ${title}`, { tags: [...tags] }, async () => {
      const response = await archive.openDevice().fetch(method, url, body, headers);
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
    'contain only a reference for an unexpected error, which is logged with its stack',
    { tags: ['spec-8.24', 'asvs-16.2.4', 'asvs-16.3.4', 'asvs-16.5.1'] },
    async () => {
      // Renames a table that the call needs, to cause an unexpected error.
      await archive.pool.query('alter table listing_counts rename to listing_counts_away');
      const response = await archive.openDevice().fetch('GET', '/api/users/count');
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

describe('large request bodies', () => {
  test('are not read before the sender is authenticated', { tags: ['asvs-5.2.1'] }, async () => {
    await archive.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = archive.app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    // Announces six megabytes and never sends them.
    socket.write(
      `PUT /api/users/00000000-0000-4000-8000-000000000000 HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:3000\r\n` +
        'Content-Type: application/json\r\nContent-Length: 6000000\r\n\r\n{"imgURL":"',
    );
    const response = await text(socket);
    expect(response).toMatch(/^HTTP\/1\.1 401 /u);
    expect(response).toContain('auth/unauthenticated');
    expect(response.toLowerCase()).toContain('connection: close');
  });
});

test('a client that disconnects while sending a request causes no warning in the log', async () => {
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
  // After another complete request, the server has given up the first one.
  await fetch(`http://127.0.0.1:${port}/readyz`);
  const levels = archive.logged.slice(before).map((line) => (JSON.parse(line) as { level: number }).level);
  expect(levels.filter((level) => level > 30)).toEqual([]);
});

test('the time limit for receiving a request is two minutes', { tags: ['asvs-15.2.2'] }, () => {
  expect(archive.app.server.requestTimeout).toBe(120_000);
});

describe('every response', () => {
  test(
    'has headers that prevent framing, cross-origin loading and content sniffing',
    { tags: ['asvs-3.2.1', 'asvs-3.4.2', 'asvs-3.4.4', 'asvs-3.4.5', 'asvs-3.4.6'] },
    async () => {
      for (const path of ['/api/users', '/api/unknown', '/healthz']) {
        const { headers } = await archive.openDevice().fetch('GET', path);
        expect(headers, path).toMatchObject({
          'content-security-policy': "default-src 'none';frame-ancestors 'none'",
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'origin-agent-cluster': '?1',
          'permissions-policy': expect.stringContaining('camera=(), ') as string,
          'referrer-policy': 'same-origin',
          'x-content-type-options': 'nosniff',
          'x-dns-prefetch-control': 'off',
          'x-download-options': 'noopen',
          'x-frame-options': 'DENY',
          'x-permitted-cross-domain-policies': 'none',
          'x-xss-protection': '0',
        });
        expect(headers).not.toHaveProperty('access-control-allow-origin');
        expect(headers).not.toHaveProperty('x-powered-by');
      }
    },
  );
});

test(
  'GET /api/openapi.json describes every call of the contract and no other calls',
  { tags: ['spec-1.15', 'spec-7.1', 'spec-8.24', 'asvs-2.1.1', 'asvs-13.4.5'] },
  async () => {
    const description = (await archive.openDevice().fetch('GET', '/api/openapi.json')).json<{
      openapi: string;
      paths: Record<string, object>;
    }>();
    expect(description.openapi).toBe('3.1.0');
    const described = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // Without its settings, an archive has no calls of campus sign-on.
    const expected = Object.keys(endpoints).filter((name) => !(name in campusEndpoints));
    expect(described.toSorted()).toEqual(expected.toSorted());
    expect(description.paths['/api/identity/sign-in']).toMatchObject({
      post: {
        description:
          'For everyone, also without a session. Fails with auth/invalid-credential, auth/multi-factor-required, auth/too-many-requests, auth/user-disabled.',
      },
    });
  },
);

test(
  '/healthz and /readyz return 200 while the process and its database respond',
  { tags: ['asvs-13.4.5'] },
  async () => {
    expect((await archive.openDevice().fetch('GET', '/healthz')).statusCode).toBe(200);
    expect((await archive.openDevice().fetch('GET', '/readyz')).statusCode).toBe(200);
  },
);

describe('GET /dev/mail', () => {
  const letter = { email: 'trial@mail.example', password: 'a long enough word', terms: termsVersion };

  test(
    'shows the mails of the outbox to this machine only, with working links and escaped text',
    { tags: ['asvs-1.1.2', 'asvs-1.2.1'] },
    async () => {
      const trial = await openArchive(inject('databases'), { SMTP_URL: '' });
      try {
        const device = trial.openDevice();
        device.ip = '127.0.0.1';
        const ours = { host: 'localhost:3000' };
        await device.call('POST /api/identity/sign-up', { body: letter });
        await trial.runJobs();
        const list = await device.fetch('GET', '/dev/mail', undefined, ours);
        expect(list.body).toContain('Verify your email address');
        // The HTML part is escaped text in a frame without scripts.
        expect(list.body).toContain(
          '<iframe sandbox loading="lazy" title="The mail as HTML" srcdoc="&#60;!doctype html&#62;',
        );
        expect(list.body).toMatch(
          /<a href="http:\/\/localhost:3000\/auth\/verify\?mode=verifyEmail&#38;oobCode=[\w-]{43}">/u,
        );

        // Other machines, forwarded requests and other host names get 404.
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
    ['at a public address', { SMTP_URL: '', PUBLIC_URL: 'http://alumni.example.edu' }],
    ['when a mail server is configured', {}],
  ])('returns 404 %s', { tags: ['asvs-13.4.2', 'asvs-15.2.3'] }, async (_, environment) => {
    const served = await openArchive(inject('databases'), environment);
    try {
      expect((await served.openDevice().fetch('GET', '/dev/mail')).statusCode).toBe(404);
    } finally {
      await served.close();
    }
  });
});
