import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { readArrival, startCampus, writeCampusSettings } from '#server/testing/campus.ts';
import { termsVersion } from '#contract/terms.ts';

/* A certified provider. It sends the address and the names in UserInfo only, as the specification says. */

let archive: TestArchive;
let server: Server;
let removeSettings: () => void;
beforeAll(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // It warns of the keys for development.
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'archive',
        client_secret: 'a secret of the archive',
        redirect_uris: ['http://localhost:3000/auth/campus/callback'],
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    cookies: { keys: ['a key for tests'] },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        email: `${accountId}@oue.edu.ng`,
        email_verified: true,
        given_name: 'Ada',
        family_name: 'Okonjo',
      }),
    }),
  });
  server.on('request', provider.callback());
  const { environment, remove } = writeCampusSettings(issuer);
  removeSettings = remove;
  archive = await openArchive(inject('databases'), environment);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await archive.close();
  removeSettings();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Signs in on the pages of the provider and consents. @returns the query of the callback */
async function signInAtProvider(url: string, login: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = { url, body: null as URLSearchParams | null };
  for (let step = 0; step < 12; step++) {
    const response = await fetch(next.url, {
      method: next.body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(next.body && { body: next.body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location?.startsWith('http://localhost:3000/')) return new URL(location).search;
    if (location !== null) {
      next = { url: new URL(location, next.url).href, body: null };
      continue;
    }
    const html = await response.text();
    const prompt = /name="prompt" value="(\w+)"/u.exec(html)?.[1] ?? '';
    next = {
      url: new URL(/action="([^"]+)"/u.exec(html)?.[1] ?? '', next.url).href,
      body: new URLSearchParams({ prompt, login, password: 'any' }),
    };
  }
  throw new Error('The provider did not send the browser back.');
}

test('a person signs up with a real provider, and signs in again', async () => {
  const device = archive.openDevice();
  const query = await signInAtProvider(await startCampus(device), 'ada');
  expect((await device.fetch('GET', `/auth/campus/callback${query}`)).headers.location).toBe('/campus');
  expect(await readArrival(device)).toMatchObject({ next: 'sign-up', email: 'ada@oue.edu.ng', name: 'Ada Okonjo' });
  const body = { password: 'a long enough word', terms: termsVersion };
  await device.call('POST /api/identity/campus/sign-up', { body });
  const again = archive.openDevice();
  const answer = await signInAtProvider(await startCampus(again, '?again=1&from=/gallery'), 'ada');
  const { headers } = await again.fetch('GET', `/auth/campus/callback${answer}`);
  expect(headers.location).toBe('/login?from=%2Fgallery');
  expect((await again.call('GET /api/identity/session')).user?.email).toBe('ada@oue.edu.ng');
  // The provider refuses a code that was used.
  const twin = archive.openDevice();
  await startCampus(twin);
  await twin.fetch('GET', `/auth/campus/callback${answer}`);
  expect((await twin.call('GET /api/identity/session')).user).toBeNull();
});
