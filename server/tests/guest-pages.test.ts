import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import type { VisibilityChoices } from '#contract/visibility.ts';
import { suggestCities } from '#server/domain/careers/places.ts';
import { type Member, openArchive, type TestArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { createTestWeb, renderPage } from '#server/testing/pages.ts';
import { recordStatements } from '#server/testing/statements.ts';

/*
 * The cache of pages for guests. The clock stands still, so no entry expires: every change is visible because it has
 * cleared the cache.
 */

let archive: TestArchive;
let renders = 0;
let running = 0;
let mostRunning = 0;
beforeAll(async () => {
  const budgets = { BROWSE_PROFILES_PER_HOUR: '300', BROWSE_PAGES_PER_HOUR: '300' };
  const web = createTestWeb((page) => {
    renders++;
    mostRunning = Math.max(mostRunning, ++running);
    return renderPage(page).finally(() => running--);
  });
  archive = await openArchive(inject('databases'), budgets, web, {
    browsing: { hoursPerDay: 2, addressFactor: 0.05, maxDelayMs: 1 },
  });
  vi.spyOn(performance, 'now').mockReturnValue(performance.now());
});
afterAll(async () => {
  vi.restoreAllMocks();
  await archive.close();
});
beforeEach(() => {
  archive.context.guestPageCache.clear();
  archive.context.listCache.clear();
  renders = 0;
  mostRunning = 0;
});

const visit = (device: Device, path: string, headers: Record<string, string> = {}) =>
  device.fetch('GET', path, undefined, { 'accept-encoding': 'gzip, deflate, br', ...headers });

const textOf = ({ headers, rawPayload, body }: LightMyRequestResponse): string => {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(rawPayload).toString();
  return headers['content-encoding'] === 'gzip' ? gunzipSync(rawPayload).toString() : body;
};

const signInPath = '/login';

describe('a page for guests', () => {
  test('is rendered once for all guests, and again after a successful write', async () => {
    const first = await visit(archive.openDevice(), '/');
    const second = await visit(archive.openDevice(), '/');
    expect(renders).toBe(1);
    expect(first.statusCode).toBe(200);
    expect(second.rawPayload).toEqual(first.rawPayload);
    expect(second.headers).toEqual({
      ...first.headers,
      'x-request-id': second.headers['x-request-id'],
      date: second.headers['date'],
    });
    expect(second.headers).toMatchObject({
      'content-encoding': 'br',
      vary: 'accept-encoding',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("script-src 'self' 'sha256-") as string,
    });
    await archive.openDevice().fetch('POST', '/api/identity/sign-in', { email: 'ada@mail.example', password: 'wrong' });
    await visit(archive.openDevice(), '/');
    expect(renders).toBe(1);
    await archive.signUp();
    await visit(archive.openDevice(), '/');
    expect(renders).toBe(2);
  });

  test('is rendered once for any unknown query parameters, and for each value of a known one', async () => {
    const pages = [];
    for (const query of ['', '?x=1', '?x=2&y', '?toast=&x=3', '?utm_source=mail&toast='])
      pages.push(textOf(await visit(archive.openDevice(), `/login${query}`)));
    expect(renders).toBe(2);
    expect(pages[2]).toBe(pages[0]);
    await visit(archive.openDevice(), '/login?from=/gallery');
    expect(renders).toBe(3);
  });

  test('offers a sign-in to guests who open the link of a mail to write a message', async () => {
    const { uid } = await archive.createMember();
    expect(textOf(await visit(archive.openDevice(), `/user/${uid}?write`))).toContain('Sign in to write to');
    expect(textOf(await visit(archive.openDevice(), `/user/${uid}`))).not.toContain('Sign in to write to');
  });

  test('is rendered once for guests with forged session cookies', async () => {
    await visit(archive.openDevice(), '/login');
    for (const cookie of ['sid=x', 'sid=y', 'sid=x; other=1', 'other=1;sid=x'])
      expect((await visit(archive.openDevice(), '/login', { cookie })).statusCode).toBe(200);
    expect(renders).toBe(1);
  });

  test('is looked up once in a second for a forged session cookie', async () => {
    const visitWith = (sid: string) => visit(archive.openDevice(), '/login', { cookie: `sid=${sid}` });
    await visitWith('another');
    const statements = recordStatements();
    for (let visits = 0; visits < 3; visits++) await visitWith('forged');
    // The session, and whether it has expired.
    expect(statements().filter((text) => text.includes('sessions'))).toHaveLength(2);
  });

  test('is rendered at most eight times at once for one address', async () => {
    const device = archive.openDevice();
    const pages = await Promise.all(Array.from({ length: 20 }, (_, at) => visit(device, `/login?from=/user/${at}`)));
    expect(pages.every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect([renders, mostRunning]).toEqual([20, 8]);
  });

  test('is rendered once for concurrent requests, and for each compression', async () => {
    const gzip = { 'accept-encoding': 'gzip' };
    const pages = await Promise.all([visit(archive.openDevice(), '/'), visit(archive.openDevice(), '/')]);
    const other = await Promise.all([visit(archive.openDevice(), '/', gzip), visit(archive.openDevice(), '/', gzip)]);
    expect(renders).toBe(2);
    expect(new Set([...pages, ...other].map(textOf)).size).toBe(1);
    const plain = await archive.openDevice().fetch('GET', '/');
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.body).toBe(textOf(pages[0]));
    const head = await archive.openDevice().fetch('HEAD', '/', undefined, { 'accept-encoding': 'br' });
    expect(head.headers['content-length']).toBe(pages[0].headers['content-length']);
    expect(head.body).toBe('');
    expect(renders).toBe(3);
  });

  test('is not taken from the cache for a request with a cookie of ours, which may change the page', async () => {
    const { device: member } = await archive.createMember();
    const narrow = archive.openDevice();
    narrow.cookies.set('sidebar', 'collapsed');
    const before = textOf(await visit(archive.openDevice(), '/'));
    for (const device of [member, narrow]) {
      const page = await visit(device, '/');
      expect(page.statusCode).toBe(200);
      expect(textOf(page)).not.toBe(before);
    }
    expect(renders).toBe(3);
    const after = await visit(archive.openDevice(), '/');
    expect(renders).toBe(3);
    expect(textOf(after)).toBe(before);
    expect(after.headers).not.toHaveProperty('set-cookie');
  });

  test('is taken from the cache for a request that has only cookies of other sites', async () => {
    const measured = archive.openDevice();
    measured.cookies.set('_ga', 'GA1.1.1');
    const first = await visit(measured, '/');
    const second = await visit(archive.openDevice(), '/');
    expect(renders).toBe(1);
    expect(second.rawPayload).toEqual(first.rawPayload);
    const { device: member } = await archive.createMember();
    member.cookies.set('_ga', 'GA1.1.1');
    expect(textOf(await visit(member, '/'))).not.toBe(textOf(first));
  });

  test.each([
    ['an unknown person', '/user/00000000-0000-4000-8000-000000000000', 404],
    ['a redirect', '/?after=invalid', 302],
    ['a mailed link', '/verify-email-address?actionCode=secret', 200],
  ])('is not cached for %s', async (_, path, status) => {
    for (const rendered of [1, 2]) {
      expect((await visit(archive.openDevice(), path)).statusCode).toBe(status);
      expect(renders).toBe(rendered);
    }
  });

  test(
    'about a class, whose link members share, shows only people who show name, department and year to everyone',
    { tags: ['asvs-8.2.3'] },
    async () => {
      const inClass = { department: 'Shared Studies', yearGraduated: 2011 };
      await archive.createMember({ ...inClass, lastName: 'Shownomo' });
      for (const field of ['name', 'department', 'yearGraduated'])
        await archive.createMember(
          { ...inClass, lastName: `Hidden${field}` },
          { visibility: { [field]: 'members' } as VisibilityChoices },
        );
      const path = '/class/Shared%20Studies/2011';
      const page = textOf(await visit(archive.openDevice(), path));
      expect(page).toContain('Shownomo');
      expect(page).not.toContain('Hidden');
      expect(textOf(await visit(archive.openDevice(), path))).toBe(page);
      expect(renders).toBe(1);
      const { device: member } = await archive.createMember();
      expect(
        textOf(await visit(member, path)).match(/Hidden(?:name|department|yearGraduated)/gu)?.length,
      ).toBeGreaterThan(2);
    },
  );

  test(
    'about careers shows places of at least five people, and no employer, role or smaller number',
    { tags: ['asvs-8.2.3'] },
    async () => {
      const createWorker = async (city: string, position: { role: string; employer: string }) => {
        const { device, uid } = await archive.createMember();
        const body = {
          positions: [{ ...position, field: 'mining' as const, from: null, to: null }],
          city,
          cityId: suggestCities(city, 'GH')[0]?.id ?? 0,
          country: 'GH',
          helps: [],
          visibility: { city: 'everyone', country: 'everyone' } as const,
          version: 'any' as const,
        };
        await device.call('PUT /api/users/{id}/career', { params: { id: uid }, body });
        return device;
      };
      const work = { role: 'Taster', employer: 'Zenith Cocoa' };
      for (let people = 0; people < 5; people++) await createWorker('Tamale', work);
      for (let people = 0; people < 3; people++) await createWorker('Kumasi', work);
      const member = await createWorker('Kumasi', work);
      const path = '/careers?employer=zenithcocoa&name=a';
      const page = textOf(await visit(archive.openDevice(), path));
      expect(page).toContain('Tamale, 5 people');
      expect(page).not.toMatch(/Zenith|zenith|Taster|Mining|Kumasi|\/user\/|, [1-4] (?:person|people)/u);
      expect(page).toContain('<meta name="robots" content="noindex">');
      const whole = textOf(await visit(member, '/careers'));
      for (const text of ['Zenith Cocoa', 'Taster', 'Mining', 'Kumasi, 4 people', '/user/'])
        expect(whole).toContain(text);
    },
  );

  test(
    'counts each request against the browsing limits of its address, with the same responses as without the cache',
    {
      tags: ['asvs-2.4.1'],
    },
    async () => {
      const { uid } = await archive.createMember();
      for (const path of ['/', `/user/${uid}`]) {
        const guest = archive.openDevice();
        const uncached = archive.openDevice();
        uncached.cookies.set('sidebar', 'expanded');
        const requestMany = async (device: Device) => {
          const pages = [];
          for (let request = 0; request < 17; request++) pages.push(await visit(device, path));
          return pages.map((page) => [page.statusCode, textOf(page)]);
        };
        const answers = await requestMany(guest);
        expect(answers.map(([status]) => status)).toEqual([...Array<number>(15).fill(200), 429, 429]);
        expect(await requestMany(uncached)).toEqual(answers);
        expect((await visit(archive.openDevice(), path)).statusCode).toBe(200);
      }
    },
  );
});

test('a page from the cache is logged and counted like any other', async () => {
  await archive.app.listen({ port: 0, host: '127.0.0.1' });
  const origin = `http://127.0.0.1:${(archive.app.server.address() as AddressInfo).port}`;
  archive.logged.length = 0;
  const ids = new Set<unknown>();
  for (let request = 0; request < 3; request++) {
    const response = await fetch(origin + signInPath);
    expect(await response.text()).toContain('Sign in');
    ids.add(response.headers.get('x-request-id'));
  }
  expect(renders).toBe(1);
  await expect.poll(() => archive.logged).toHaveLength(3);
  const lines = archive.logged.map((line) => JSON.parse(line) as { requestId: string });
  for (const line of lines) expect(line).toMatchObject({ path: signInPath, status: 200, msg: 'request' });
  expect(new Set(lines.map(({ requestId }) => requestId))).toEqual(ids);
  expect(await (await fetch(`${origin}/metrics`)).text()).toContain(
    `archive_http_requests_total{method="GET",route="${signInPath}",status="2xx",process="main"} 3`,
  );
});

type Action = 'view' | 'hide' | 'show' | 'hideName' | 'showAll' | 'minor' | 'adult' | 'sign out and in' | 'no session';

const actions: Record<Action, (member: Member) => Promise<unknown>> = {
  view: async (member) => {
    for (const path of pagesOf([member])) await visit(member.device, path);
  },
  hide: (member) => choose(member, { isHidden: true }),
  show: (member) => choose(member, { isHidden: false }),
  hideName: (member) => choose(member, { isHidden: false, visibility: { name: 'members' } }),
  showAll: (member) => choose(member, { isHidden: false, visibility: { name: 'everyone', fullBio: 'everyone' } }),
  minor: (member) => save(member, `${new Date().getUTCFullYear() - 17}-01-01`),
  adult: (member) => save(member, '1985-01-01'),
  'sign out and in': async (member) => {
    await member.device.call('POST /api/identity/sign-out');
    await visit(member.device, '/');
    await member.device.call('POST /api/identity/sign-in', {
      body: { email: member.email, password: member.password },
    });
  },
  'no session': async () => {
    const device = archive.openDevice();
    device.cookies.set('sid', 'x'.repeat(43));
    await visit(device, '/');
  },
};

const choose = ({ device, uid }: Member, choice: object) =>
  device.call('PUT /api/users/{id}/privacy', { params: { id: uid }, body: { ...choice, version: 'any' } });

const save = ({ device, uid, document }: Member, dob: string) =>
  device.call('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, dob, imgURL: null } });

const pagesOf = (members: readonly Member[]) => [
  '/',
  '/home',
  signInPath,
  '/signup',
  '/gallery',
  ...members.flatMap(({ uid, document: { name, academic } }) => [
    `/user/${uid}`,
    `/search?q=${name.last}`,
    `/class/${encodeURIComponent(academic.department)}/${academic.year.graduated}`,
  ]),
];

test(
  'every cached page equals the page that is rendered for a guest without a cache, after any actions of members',
  { tags: ['asvs-8.2.3', 'asvs-14.2.2', 'asvs-14.3.1'] },
  async () => {
    const members = [
      await archive.createMember({ lastName: 'Bababo' }),
      await archive.createMember({ lastName: 'Dedede' }),
    ];
    const steps = fc.array(
      fc.record({ at: fc.nat(1), action: fc.constantFrom(...(Object.keys(actions) as Action[])) }),
      { minLength: 3, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        for (const { at, action } of taken) {
          await actions[action](members[at] as Member);
          for (const path of pagesOf(members)) {
            const cached = await visit(archive.openDevice(), path);
            // A page without compression is not cached. Neither are its lists.
            archive.context.listCache.clear();
            const fresh = await archive.openDevice().fetch('GET', path);
            expect([path, cached.statusCode, textOf(cached)]).toEqual([path, fresh.statusCode, fresh.body]);
            expect(cached.headers).not.toHaveProperty('set-cookie');
            for (const { email } of members) expect(textOf(cached), path).not.toContain(email);
          }
        }
      }),
      // A fixed seed. Other seeds generate other actions.
      { numRuns: 6, seed: 2026, endOnFailure: true },
    );
  },
);
