import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '../../testing/archive.ts';

let archive: TestArchive;
afterEach(() => archive.close());

async function open(environment: NodeJS.ProcessEnv): Promise<string> {
  archive = await openArchive(inject('databases'), environment);
  await archive.app.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(archive.app.server.address() as AddressInfo).port}`;
}

/** The name that a request got in its answer, and in its line of the log. */
async function namesOf(origin: string, given?: string): Promise<[string | null, unknown]> {
  archive.logged.length = 0;
  const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given };
  const response = await fetch(`${origin}/api/institution`, { headers });
  await expect.poll(() => archive.logged.length).toBe(1);
  return [
    response.headers.get('x-request-id'),
    (JSON.parse(archive.logged[0] ?? '') as { requestId: string }).requestId,
  ];
}

describe('the name of a request', () => {
  test('is in its answer and in every line about it, and is another one each time', async () => {
    const origin = await open({});
    const seen = new Set<unknown>();
    for (let request = 0; request < 20; request++) {
      const [answered, logged] = await namesOf(origin);
      expect(answered).toMatch(/^[a-z2-7]{10}$/u);
      expect(logged).toBe(answered);
      seen.add(answered);
    }
    expect(seen.size).toBe(20);
  });

  test('of a fault is the reference that the visitor reads', async () => {
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
    'is taken over from a proxy at %s that is trusted',
    async (TRUST_PROXY) => {
      const origin = await open({ TRUST_PROXY });
      const name = 'b3f1c2d4e5f60718293a4b5c6d7e8f90';
      expect(await namesOf(origin, name)).toEqual([name, name]);
    },
  );

  test.each([{}, { TRUST_PROXY: '10.0.0.0/8,uniquelocal' }])(
    'is not taken over from others, %o',
    async (environment) => {
      const origin = await open(environment);
      const [answered, logged] = await namesOf(origin, 'chosen-by-a-visitor');
      expect(answered).toMatch(/^[a-z2-7]{10}$/u);
      expect(logged).toBe(answered);
    },
  );

  test.each([
    ['spaces', 'two words'],
    ['quotes', 'a"b'],
    ['an address', 'ada@mail.example'],
    ['too many letters', 'x'.repeat(65)],
    ['what looks like a token', 'x'.repeat(43)],
    ['what looks like a person', '0b7f3c1e-9a52-4a51-8f3e-6f2f0a9d1c33'],
  ])('is not taken over from anybody with %s', async (_, given) => {
    const origin = await open({ TRUST_PROXY: '127.0.0.1' });
    const [answered, logged] = await namesOf(origin, given);
    expect(answered).toMatch(/^[a-z2-7]{10}$/u);
    expect(logged).toBe(answered);
  });
});

test(
  'the line of a request that a limit refused names the limit, and not whose it was',
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

test('what a machine asks every few seconds is not written down, unless it is refused', async () => {
  const origin = await open({});
  archive.logged.length = 0;
  for (const path of ['/healthz', '/readyz', '/metrics']) await (await fetch(`${origin}${path}`)).text();
  await (await fetch(`${origin}/metrics`, { headers: { 'x-forwarded-for': '192.0.2.1' } })).text();
  await expect
    .poll(() => archive.logged.map((line) => JSON.parse(line) as object))
    .toMatchObject([{ path: '/metrics', status: 404 }]);
});
