import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';

let archive: TestArchive;
afterEach(() => archive.close());

async function open(environment: NodeJS.ProcessEnv): Promise<string> {
  archive = await openArchive(inject('databases'), environment);
  await archive.app.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(archive.app.server.address() as AddressInfo).port}`;
}

async function readRequestIds(origin: string, given?: string): Promise<[string | null, unknown]> {
  archive.logged.length = 0;
  const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given };
  const response = await fetch(`${origin}/api/institution`, { headers });
  await expect.poll(() => archive.logged.length).toBe(1);
  return [
    response.headers.get('x-request-id'),
    (JSON.parse(archive.logged[0] ?? '') as { requestId: string }).requestId,
  ];
}

describe('the request id', () => {
  test('is the same in the response and the log, and differs for each request', async () => {
    const origin = await open({});
    const seen = new Set<unknown>();
    for (let request = 0; request < 20; request++) {
      const [answered, logged] = await readRequestIds(origin);
      expect(answered).toMatch(/^[a-z2-7]{10}$/u);
      expect(logged).toBe(answered);
      seen.add(answered);
    }
    expect(seen.size).toBe(20);
  });

  test('is the reference in the response to an unexpected error', async () => {
    const origin = await open({});
    await archive.pool.query('alter table listing_counts rename to listing_counts_away');
    archive.logged.length = 0;
    const response = await fetch(`${origin}/api/users/count`);
    const { reference } = (await response.json()) as { reference: string };
    expect(reference).toBe(response.headers.get('x-request-id'));
    await expect.poll(() => archive.logged.length).toBe(2);
    const lines = archive.logged.map((line) => JSON.parse(line) as { requestId: string; msg: string });
    expect(lines.map(({ requestId, msg }) => [requestId, msg])).toEqual([
      [reference, 'unexpected error'],
      [reference, 'request'],
    ]);
  });

  test.each(['127.0.0.1', '127.0.0.0/8', 'loopback', '::1,127.0.0.1'])(
    'comes from the proxy when TRUST_PROXY is %s',
    async (TRUST_PROXY) => {
      const origin = await open({ TRUST_PROXY });
      const name = 'b3f1c2d4e5f60718293a4b5c6d7e8f90';
      expect(await readRequestIds(origin, name)).toEqual([name, name]);
    },
  );

  test.each([{}, { TRUST_PROXY: '10.0.0.0/8,uniquelocal' }])(
    'is generated when the proxy is not trusted (%o)',
    async (environment) => {
      const origin = await open(environment);
      const [answered, logged] = await readRequestIds(origin, 'chosen-by-a-visitor');
      expect(answered).toMatch(/^[a-z2-7]{10}$/u);
      expect(logged).toBe(answered);
    },
  );

  test.each([
    ['spaces', 'two words'],
    ['quotes', 'a"b'],
    ['an email address', 'ada@mail.example'],
    ['too many characters', 'x'.repeat(65)],
    ['a token-like string', 'x'.repeat(43)],
    ['an account id', '0b7f3c1e-9a52-4a51-8f3e-6f2f0a9d1c33'],
  ])('is generated when the proxy sends %s', async (_, given) => {
    const origin = await open({ TRUST_PROXY: '127.0.0.1' });
    const [answered, logged] = await readRequestIds(origin, given);
    expect(answered).toMatch(/^[a-z2-7]{10}$/u);
    expect(logged).toBe(answered);
  });
});

test(
  'the log line of a rate-limited request names the limit without personal data',
  { tags: ['asvs-16.3.3'] },
  async () => {
    const origin = await open({});
    const ask = () =>
      fetch(`${origin}/api/identity/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'http://localhost:3000' },
        body: JSON.stringify({ email: 'ada@mail.example', password: 'a wrong word' }),
      });
    for (let attempt = 0; attempt < 5; attempt++) await ask();
    archive.logged.length = 0;
    expect((await ask()).status).toBe(429);
    await expect.poll(() => archive.logged.length).toBe(1);
    expect(JSON.parse(archive.logged[0] ?? '')).toMatchObject({ status: 429, limit: 'signInByAccountAndAddress' });
    expect(archive.logged.join('')).not.toMatch(/ada|127\.0\.0\.1/u);
  },
);

test('monitoring requests are logged only when they fail', async () => {
  const origin = await open({});
  archive.logged.length = 0;
  for (const path of ['/healthz', '/readyz', '/metrics']) await (await fetch(`${origin}${path}`)).text();
  await (await fetch(`${origin}/metrics`, { headers: { 'x-forwarded-for': '192.0.2.1' } })).text();
  await expect
    .poll(() => archive.logged.map((line) => JSON.parse(line) as object))
    .toMatchObject([{ path: '/metrics', status: 404 }]);
});
