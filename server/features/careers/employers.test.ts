import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { rewriteEmployerKeys } from '#server/domain/careers/employers.ts';
import { resetRateLimits } from '#server/platform/limits/rate-limits.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { hostileText } from '#server/testing/hostile-text.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let registrar: Member;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
  registrar = await createStaff(archive, 'registrar');
});
afterEach(() => archive.close());

const saveEmployer = ({ device, uid }: Member, employer: string) =>
  device.call('PUT /api/users/{id}/career', {
    params: { id: uid },
    body: {
      positions: employer === '' ? [] : [{ role: '', employer, field: null, from: null, to: null }],
      city: '',
      cityId: null,
      country: '',
      helps: [],
      version: 'any',
    },
  });

async function createEmployees(...employers: string[]): Promise<Member[]> {
  const members = [];
  for (const employer of employers) {
    const member = await archive.createMember();
    await saveEmployer(member, employer);
    members.push(member);
  }
  return members;
}

async function reset(): Promise<void> {
  await archive.pool.query('delete from employer_merges');
  for (const key of Object.keys(await readEmployers())) await rewriteEmployerKeys(archive.context.db, key);
  await resetRateLimits(archive.context.db);
}

const find = (q?: string) => registrar.device.call('GET /api/staff/employers', { query: q === undefined ? {} : { q } });
const ask = (key: string, into: string | null) =>
  registrar.device.ask('POST /api/staff/employers', { body: { key, into } });
async function merge(key: string, into: string | null): Promise<void> {
  await registrar.device.call('POST /api/staff/employers', { body: { key, into } });
  await archive.runJobs();
}

async function readListings() {
  const { rows } = await archive.pool.query<{ employer: string; key: string }>(
    `select employer, employer_key as key from listings where audience = 'members' and employer is not null
     order by account_id`,
  );
  return rows.map(({ employer, key }) => [employer, key]);
}
async function readEmployers() {
  const { rows } = await archive.pool.query<{ key: string; people: number }>(
    'select key, people::int from employers order by key',
  );
  return Object.fromEntries(rows.map(({ key, people }) => [key, people]));
}

describe('GET /api/staff/employers', () => {
  test('finds employers by the beginnings of their words, most people first', async () => {
    await createEmployees('First Bank', 'Bank of the North', 'Bank of the North', 'Dangote');
    const keysOf = async (q: string) => (await find(q)).found.map(({ key, people }) => [key, people]);
    expect(await keysOf('BAN')).toEqual([
      ['bankofthenorth', 2],
      ['firstbank', 1],
    ]);
    expect(await keysOf('fir bank')).toEqual([['firstbank', 1]]);
    expect(await keysOf('angote')).toEqual([]);
    expect(await keysOf('')).toEqual([]);
  });

  test('proposes to merge the smaller of two similar employers, until they are merged', async () => {
    await createEmployees('Dangote', 'Dangote', 'Dangotte', 'Intel', 'Intel 471');
    const [one, other] = [
      { key: 'dangotte', name: 'Dangotte', people: 1 },
      { key: 'dangote', name: 'Dangote', people: 2 },
    ];
    expect((await find()).proposals).toEqual([{ one, other }]);
    // Before the job has run, too.
    await ask('dangotte', 'dangote');
    expect((await find()).proposals).toEqual([]);
    await archive.runJobs();
    expect(await find()).toEqual({
      found: [],
      proposals: [],
      merged: [{ key: 'dangotte', into: { ...other, people: 3 } }],
    });
    expect((await find('intel')).merged).toEqual([]);
    expect((await find('dangot')).merged).toHaveLength(1);
  });

  test('does not propose again to merge employers that staff separated', async () => {
    await createEmployees('Separate', 'Separate', 'Seperate', 'Seperrate');
    await merge('seperate', 'separate');
    await merge('seperate', null);
    const pairs = (await find()).proposals.map(({ one, other }) => [one.key, other.key]);
    expect(pairs).toEqual([['seperrate', 'seperate']]);
  });
});

describe('POST /api/staff/employers', () => {
  test('merges all listings, keeps the spellings, and separates them again', async () => {
    await createEmployees('GTB', 'Guaranty Trust Bank', 'Guaranty Trust Bank Plc.', 'Dangote');
    const [listings, employers] = [await readListings(), await readEmployers()];
    await merge('gtb', 'guarantytrustbank');
    expect((await readListings()).map(([employer]) => employer)).toEqual(listings.map(([employer]) => employer));
    expect(await readEmployers()).toEqual({ dangote: 1, guarantytrustbank: 3 });
    const [later = registrar] = await createEmployees('G.T.B.');
    expect(await readEmployers()).toEqual({ dangote: 1, guarantytrustbank: 4 });
    await saveEmployer(later, '');
    await merge('gtb', null);
    expect(await readListings()).toEqual(listings);
    expect(await readEmployers()).toEqual(employers);
  });

  test('moves earlier merges to the new target, and restores them', async () => {
    await createEmployees('Alpha', 'Beta', 'Gamma', 'Delta');
    await merge('alpha', 'beta');
    await merge('beta', 'gamma');
    expect(await readEmployers()).toEqual({ gamma: 3, delta: 1 });
    // The page of another member of staff can still show it.
    await merge('delta', 'alpha');
    expect(await readEmployers()).toEqual({ gamma: 4 });
    await merge('beta', null);
    expect(await readEmployers()).toEqual({ beta: 3, gamma: 1 });
    await merge('alpha', null);
    expect(await readEmployers()).toEqual({ alpha: 2, beta: 1, gamma: 1 });
  });

  test('refuses a circle, a second merge and unknown employers', async () => {
    await createEmployees('Alpha', 'Beta', 'Gamma');
    await merge('alpha', 'beta');
    for (const [key, into] of [
      ['beta', 'alpha'],
      ['beta', 'beta'],
      ['alpha', 'gamma'],
    ] as const)
      expect((await ask(key, into)).json()).toMatchObject({ code: 'staff/refused' });
    for (const [key, into] of [
      ['gamma', 'unknown'],
      ['unknown', 'gamma'],
      ['gamma', null],
    ] as const)
      expect((await ask(key, into)).statusCode).toBe(404);
  });

  test('refuses the second of two opposite merges at the same time', async () => {
    await createEmployees('Alpha', 'Beta');
    const first = await archive.pool.connect();
    await first.query('begin');
    await first.query('lock table employer_merges in share row exclusive mode');
    await first.query(`insert into employer_merges (key, merged_into, same_as) values ('alpha', 'beta', 'beta')`);
    const second = ask('beta', 'alpha');
    const waits = async () => {
      for (;;) {
        const { rowCount } = await archive.pool.query(
          `select from pg_locks where not granted and relation = 'employer_merges'::regclass`,
        );
        if (rowCount !== 0) return;
      }
    };
    await Promise.race([second, waits()]);
    await first.query('commit');
    first.release();
    expect((await second).json()).toMatchObject({ code: 'staff/refused' });
  });

  test('also moves a listing that a save writes with the old key after the job', async () => {
    const [late = registrar] = await createEmployees('GTB', 'Guaranty Trust Bank');
    await merge('gtb', 'guarantytrustbank');
    await archive.pool.query(
      `update listings set employer_key = 'gtb' where account_id = $1 and audience = 'members'`,
      [late.uid],
    );
    await archive.advanceTime('10 minutes');
    await archive.runJobs();
    expect(await readEmployers()).toEqual({ guarantytrustbank: 2 });
  });

  test('rewrites more listings than a batch has', { tags: ['release'] }, async () => {
    const [one = registrar] = await createEmployees('GTB', 'Guaranty Trust Bank');
    await archive.pool.query(
      `with added as (
         insert into accounts (email, password_hash) select 'many' || n || '@mail.example', '!' from generate_series(1, 1100) n returning id)
       insert into listings select (jsonb_populate_record(l, jsonb_build_object('account_id', added.id))).*
       from listings l, added where l.account_id = $1 and l.audience = 'members'`,
      [one.uid],
    );
    await merge('gtb', 'guarantytrustbank');
    expect(await readEmployers()).toEqual({ guarantytrustbank: 1_102 });
  });

  test('records who merged and separated, without the names that people typed', async () => {
    await createEmployees('Ọ̀yọ́ Farms', '李小龍');
    const owner = await createStaff(archive, 'owner');
    const readLog = async () => (await owner.device.call('GET /api/staff/audit-log', { query: {} })).records;
    await merge('oyofarms', '李小龍');
    const about = { actorId: registrar.uid, subjectKind: 'employer' };
    expect(await readLog()).toMatchObject([{ ...about, action: 'employers-merged', subjectLabel: 'oyofarms' }]);
    await merge('oyofarms', null);
    const records = await readLog();
    expect(records).toMatchObject([
      { ...about, action: 'employers-separated', subjectLabel: null, details: [] },
      { ...about, action: 'employers-merged', subjectLabel: null, details: [{ name: 'into' }] },
    ]);
    expect(records[0]?.subject).toBe(records[1]?.subject);
    expect(JSON.stringify(records)).not.toMatch(/farms|小/u);
  });

  test('restores listings, employers and counts after a merge and a separation', async () => {
    const spellings = ['Alpha Ltd', 'ALPHA', 'Beta', 'The Beta Co.', 'Gamma', 'Delta', ''];
    const keys = ['alpha', 'beta', 'gamma', 'delta'];
    const members = await createEmployees(...spellings.slice(0, 5));
    const key = fc.constantFrom(...keys);
    let done = 0;
    const read = async () => [
      await readListings(),
      await readEmployers(),
      (await archive.pool.query('select * from career_counts order by audience, kind, value')).rows,
      (await archive.pool.query('select key, merged_into, same_as from employer_merges order by key')).rows,
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...spellings), { minLength: members.length, maxLength: members.length }),
        fc.array(fc.tuple(key, fc.option(key)), { maxLength: 4 }),
        fc.nat(),
        fc.integer({ min: 1, max: 3 }),
        async (employers, earlier, at, distance) => {
          await reset();
          for (const [at, member] of members.entries()) await saveEmployer(member, employers[at] ?? '');
          for (const [from, into] of earlier) await ask(from, into);
          await archive.runJobs();
          const before = await read();
          const shownKeys = Object.keys(await readEmployers());
          const [one = '', other = ''] = [at, at + distance].map((place) => shownKeys[place % shownKeys.length]);
          if (one === other) return;
          done++;
          await merge(one, other);
          const shown = await readListings();
          expect(await readEmployers()).toEqual(
            Object.fromEntries([...Map.groupBy(shown, ([, key]) => key)].map(([key, of]) => [key, of.length])),
          );
          await merge(one, null);
          expect(await read()).toEqual(before);
        },
      ),
      { seed: 7, numRuns: 40 },
    );
    expect(done).toBeGreaterThan(10);
  });

  test('merges employers with hostile names', { tags: ['release'] }, async () => {
    const [one = registrar, other = registrar] = await createEmployees('Alpha', 'Beta');
    await fc.assert(
      fc.asyncProperty(hostileText(100), hostileText(100), async (a, b) => {
        await reset();
        for (const [member, employer] of [
          [one, a],
          [other, b],
        ] as const)
          await saveEmployer(member, employer).catch(() => undefined);
        const before = await readListings();
        const keys = Object.keys(await readEmployers());
        for (const text of [a, b]) expect((await find(text).catch(() => null))?.found.length ?? 0).toBeLessThan(3);
        const [from, into] = keys;
        if (from === undefined || into === undefined) return;
        await merge(from, into);
        expect(Object.values(await readEmployers())).toEqual([2]);
        await merge(from, null);
        expect(await readListings()).toEqual(before);
      }),
      { seed: 7, numRuns: 25 },
    );
  });
});

test('GET and POST /api/staff/employers are refused to staff who are limited to a college', async () => {
  const limited = await createStaff(archive, 'registrar', { college: 'COSIT' });
  expect(await limited.device.code('GET /api/staff/employers', { query: {} })).toBe('permission-denied');
  expect(await limited.device.code('POST /api/staff/employers', { body: { key: 'a', into: null } })).toBe(
    'permission-denied',
  );
  expect((await limited.device.call('GET /api/staff/me')).rights).not.toContain('employers');
});
