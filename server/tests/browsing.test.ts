import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Budget, createBudgets } from '#server/platform/limits/budgets.ts';
import { type Member, openArchive, type TestArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';

/* Limits against harvesting: how many profiles and list pages an account and an IP address may read. */

let archive: TestArchive;
let members: Member[];
beforeAll(async () => {
  const budgets = { BROWSE_PROFILES_PER_HOUR: '6', BROWSE_PAGES_PER_HOUR: '4' };
  archive = await openArchive(inject('databases'), budgets, null, {
    browsing: { hoursPerDay: 2, addressFactor: 3, maxDelayMs: 1 },
  });
  members = [];
  for (let number = 0; number < 6; number++) members.push(await archive.createMember({ lastName: 'Walked' }));
});
afterAll(() => archive.close());

const open = (device: Device, at: number) =>
  device.fetch('GET', `/api/users/${members[at % members.length]?.uid ?? ''}`).then(({ statusCode }) => statusCode);

async function collectStatuses(times: number, ask: (time: number) => Promise<number>): Promise<number[]> {
  const codes: number[] = [];
  for (let time = 0; time < times; time++) codes.push(await ask(time));
  return codes;
}

const countAllowed = (codes: readonly number[]) => codes.filter((code) => code === 200).length;

describe('the browsing limits', () => {
  test('count the name of a profile on the report page as an opened profile, and a missing one as missing', async () => {
    const [{ device }, { device: guesser }] = [await archive.createMember(), await archive.createMember()];
    const name = async (from: Device, id: string) =>
      (await from.ask('GET /api/reports/{kind}/{id}', { params: { kind: 'profile', id } })).statusCode;
    expect(await collectStatuses(7, (time) => name(device, members[time % 6]?.uid ?? ''))).toEqual([
      ...Array<number>(6).fill(200),
      429,
    ]);
    expect(await open(device, 0)).toBe(429);
    expect(await collectStatuses(7, () => name(guesser, crypto.randomUUID()))).toEqual([
      ...Array<number>(6).fill(404),
      429,
    ]);
  });

  test(
    'allow an account a fixed number of profiles from all addresses, then return 429 with Retry-After',
    { tags: ['asvs-2.4.1'] },
    async () => {
      const { device } = await archive.createMember();
      expect(countAllowed(await collectStatuses(5, (time) => open(device, time)))).toBe(5);
      device.ip = '192.0.2.77';
      expect(await collectStatuses(3, (time) => open(device, time))).toEqual([200, 429, 429]);
      const refused = await device.ask('GET /api/users/{id}', { params: { id: members[0]?.uid ?? '' }, query: {} });
      const { code, retryAfter = 0 } = refused.json<{ code: string; retryAfter?: number }>();
      expect(code).toBe('too-many-requests');
      expect(refused.headers['retry-after']).toBe(String(retryAfter));
      expect(retryAfter).toBeGreaterThan(3_500);
      expect(retryAfter).toBeLessThanOrEqual(3_600);
    },
  );

  test('apply to all guests at one IP address together', async () => {
    const guest = archive.openDevice();
    expect(countAllowed(await collectStatuses(20, (time) => open(guest, time)))).toBe(18);
    const other = archive.openDevice();
    other.ip = guest.ip;
    expect(await open(other, 0)).toBe(429);
    expect(await open(archive.openDevice(), 0)).toBe(200);
  });

  test('count guests and accounts at one IP address separately, and do not charge refused requests', async () => {
    const { device } = await archive.createMember();
    const guest = archive.openDevice();
    guest.ip = device.ip;
    expect(countAllowed(await collectStatuses(20, (time) => open(guest, time)))).toBe(18);
    expect(await open(guest, 0)).toBe(429);
    expect(countAllowed(await collectStatuses(6, (time) => open(device, time)))).toBe(6);
    // Three accounts use up the budget of all accounts at this IP address. A fourth is refused here, but not elsewhere.
    const others = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    for (const other of others) other.device.ip = device.ip;
    for (const other of others.slice(0, 2)) await collectStatuses(6, (time) => open(other.device, time));
    const last = others[2]?.device;
    if (!last) throw new Error('The third account is missing.');
    expect(await collectStatuses(4, (time) => open(last, time))).toEqual([429, 429, 429, 429]);
    last.ip = '192.0.2.99';
    expect(countAllowed(await collectStatuses(7, (time) => open(last, time)))).toBe(6);
  });

  test('count accounts without a verified address as guests', async () => {
    const { device: member } = await archive.createMember();
    for (let number = 0; number < 4; number++) {
      const { device } = await archive.signUp();
      device.ip = member.ip;
      const codes = await collectStatuses(6, (time) => open(device, time));
      expect(countAllowed(codes)).toBe(number < 3 ? 6 : 0);
    }
    expect(countAllowed(await collectStatuses(6, (time) => open(member, time)))).toBe(6);
  });

  test('count accounts that wait for a confirmation as guests', async () => {
    await archive.pool.query(`update accounts set membership_status = 'confirmed'`);
    await archive.pool.query(`update membership_mode set mode = 'confirmed'`);
    const { device: guest } = await archive.signUp();
    for (let number = 0; number < 4; number++) {
      const { device } = await archive.createMember();
      device.ip = guest.ip;
      const codes = await collectStatuses(6, (time) => open(device, time));
      expect(countAllowed(codes)).toBe(number < 3 ? 6 : 0);
    }
    expect(countAllowed(await collectStatuses(6, (time) => open(guest, time)))).toBe(0);
    await archive.pool.query(`update membership_mode set mode = 'open'`);
  });

  test('count requests for missing or hidden profiles separately from those for visible profiles', async () => {
    const hidden = await archive.createMember();
    await hidden.device.call('PUT /api/users/{id}/privacy', {
      params: { id: hidden.uid },
      body: { isHidden: true, version: 'any' },
    });
    // A hidden profile counts like one that does not exist.
    const ids = ['00000000-0000-4000-8000-000000000000', hidden.uid];
    const guest = archive.openDevice();
    const lookFor = (device: Device, time: number) =>
      device.fetch('GET', `/api/users/${ids[time % 2]}`).then(({ statusCode }) => statusCode);
    const codes = await collectStatuses(20, (time) => lookFor(guest, time));
    expect(codes).toEqual([...Array<number>(18).fill(404), 429, 429]);
    expect(await open(guest, 0)).toBe(200);
    // Counted together, three accounts would use up the budget of the members at this IP address.
    const { device } = await archive.createMember();
    for (let number = 0; number < 3; number++) {
      const walker = await archive.createMember();
      walker.device.ip = device.ip;
      expect(await collectStatuses(7, (time) => lookFor(walker.device, time))).toEqual([
        ...Array<number>(6).fill(404),
        429,
      ]);
    }
    expect(await open(device, 0)).toBe(200);
  });

  test('count list and search pages together, and never one’s own profile', async () => {
    const { device, uid } = await archive.createMember();
    const pages = ['/api/users', '/api/search?q=walked', '/api/users?graduatedFrom=1990', '/api/search?q=nobody'];
    const ask = (url: string) => device.fetch('GET', url).then(({ statusCode }) => statusCode);
    expect(await collectStatuses(4, (time) => ask(pages[time] ?? ''))).toEqual([200, 200, 200, 200]);
    for (const page of pages) expect(await ask(page), page).toBe(429);
    expect(await collectStatuses(12, () => ask(`/api/users/${uid}`))).toEqual(Array(12).fill(200));
    // These calls are not limited, because they return only the user's own data.
    for (const url of ['/api/notifications', `/api/users/${uid}/document`, '/api/identity/session'])
      expect(await ask(url), url).toBe(200);
  });

  test('count a page of 96 people as four pages, and refuse larger pages', async () => {
    const { device } = await archive.createMember();
    const ask = (url: string) => device.fetch('GET', url).then(({ statusCode }) => statusCode);
    expect(await ask('/api/users?limit=97')).toBe(400);
    expect(await ask('/api/users?limit=96')).toBe(200);
    expect(await ask('/api/users')).toBe(429);
  });

  test('apply across servers that share the database', async () => {
    const guest = archive.openDevice();
    const second = await archive.startSecondServer();
    const elsewhere = (time: number) =>
      second
        .inject({
          method: 'GET',
          url: `/api/users/${members[time % members.length]?.uid ?? ''}`,
          remoteAddress: guest.ip,
        })
        .then(({ statusCode }) => statusCode);
    expect(countAllowed(await collectStatuses(9, (time) => open(guest, time)))).toBe(9);
    expect(countAllowed(await collectStatuses(20, elsewhere))).toBe(9);
    await second.close();
  });
});

describe('createBudgets', () => {
  const budget: Budget = { name: 'test', maxHits: 100, windowSeconds: 60 };

  test(
    'allows exactly the maximum under concurrency, and again in the next window',
    { tags: ['asvs-15.2.2'] },
    async () => {
      let now = 0;
      const budgets = createBudgets(archive.context.db, archive.context.limiter, 1, 1, () => now);
      const spend = () =>
        budgets.spend([[budget, 'everybody']]).then(
          () => true,
          () => false,
        );
      const first = await Promise.all(Array.from({ length: 150 }, spend));
      expect(first.filter(Boolean)).toHaveLength(100);
      now = 61_000;
      await archive.advanceTime('61 seconds');
      expect(await spend()).toBe(true);
    },
  );

  test('never exhausts an unlimited budget, even after many restarts', async () => {
    const endless: Budget = { name: 'endless', maxHits: 24 * 1_000_000_000 * 1_000_000, windowSeconds: 60 };
    for (let process = 0; process < 40; process++)
      await createBudgets(archive.context.db, archive.context.limiter, 1, 1).spend([[endless, 'everybody']]);
  });

  test('counts each subject separately when there are more subjects than fit in memory', async () => {
    const budgets = createBudgets(archive.context.db, archive.context.limiter, 1, 1, undefined, 4);
    const crowded: Budget = { name: 'crowded', maxHits: 100, windowSeconds: 60 };
    const passed = new Map<string, number>();
    for (let round = 0; round < 110; round++)
      for (const subject of ['a', 'b', 'c', 'd', 'e', 'f'])
        await budgets.spend([[crowded, subject]]).then(
          () => passed.set(subject, (passed.get(subject) ?? 0) + 1),
          () => undefined,
        );
    expect(passed.size).toBe(6);
    // Portions are charged before they are used, so a process may allow slightly less than the maximum.
    for (const times of passed.values()) expect([99, 100]).toContain(times);
  });

  test('delays requests increasingly after half of a budget is used', async () => {
    const budgets = createBudgets(archive.context.db, archive.context.limiter, 1, 400);
    const times: number[] = [];
    const few: Budget = { name: 'slow', maxHits: 8, windowSeconds: 60 };
    for (let time = 0; time < 8; time++) {
      const start = performance.now();
      await budgets.spend([[few, 'somebody']]);
      times.push(performance.now() - start);
    }
    // Delays have a minimum on any machine: 100 ms more for each eighth beyond half of the budget.
    expect(times.slice(4).map((time, at) => time >= 100 * (at + 1) - 2)).toEqual([true, true, true, true]);
  });
});
