import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CareerDocument, PositionInput } from '#contract/careers.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { type Member, openArchive, type TestArchive, type Visitor } from '#server/testing/archive.ts';
import { askForCareersJob } from './jobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'institution-'));
let archive: TestArchive;
beforeAll(async () => {
  const file = join(folder, 'institution.json');
  writeFileSync(file, JSON.stringify({ ...readInstitution('institution.json'), tracerReport: true }));
  archive = await openArchive(inject('databases'), { INSTITUTION_FILE: file });
});
afterAll(async () => {
  await archive.close();
  rmSync(folder, { recursive: true });
});

const lagos = 2_332_459;
const engineer: PositionInput = { role: 'Engineer', employer: 'Shell', field: 'energy', from: 2021, to: null };
const empty: CareerDocument = { positions: [], city: '', cityId: null, country: '', helps: [], version: 'any' };

const ask = ({ device, uid: id }: Visitor, body: object) => device.fetch('PUT', `/api/users/${id}/career`, body);
const save = ({ device, uid: id }: Visitor, body: Partial<CareerDocument>) =>
  device.call('PUT /api/users/{id}/career', { params: { id }, body: { ...empty, ...body } });
const read = ({ device, uid: id }: Visitor) => device.call('GET /api/users/{id}/career', { params: { id } });

/** Stores a position as the import does. */
async function importPosition({ device, uid: id }: Member, employer: string): Promise<void> {
  const positions = JSON.stringify([{ ...engineer, employer, confirmedOn: null }]);
  await archive.pool.query('update profiles set positions = $2 where account_id = $1', [id, positions]);
  // Any save writes the listings again.
  await device.call('PUT /api/users/{id}/privacy', { params: { id }, body: { isIndexed: true, version: 'any' } });
}

describe('PUT /api/users/{id}/career', () => {
  test('stores work, place and help offers, and confirms the positions today', async () => {
    const ada = await archive.createMember();
    const earlier = { ...engineer, employer: 'Total', from: 2016, to: 2020 };
    const saved = await save(ada, { positions: [earlier, engineer], city: 'Lagos', cityId: lagos, country: 'NG' });
    const confirmedOn = new Date().toISOString().slice(0, 10);
    expect(saved).toMatchObject({ city: 'Lagos', cityId: lagos, country: 'NG', isAsked: false });
    expect(saved.positions).toEqual([
      { ...engineer, confirmedOn },
      { ...earlier, confirmedOn },
    ]);
  });

  test('keeps the order of two current positions', async () => {
    const ada = await archive.createMember();
    const second = { ...engineer, employer: 'Own workshop', from: 2024 };
    const { positions } = await save(ada, { positions: [{ ...engineer, from: null }, second] });
    expect(positions.map(({ employer }) => employer)).toEqual(['Shell', 'Own workshop']);
  });

  test('finds a typed city in the list, and keeps its spelling', async () => {
    const ada = await archive.createMember();
    const typed = { city: 'LÁGOS', country: 'NG' };
    expect(await save(ada, typed)).toMatchObject({ ...typed, cityId: lagos });
    expect(await save(ada, { ...typed, cityId: lagos })).toMatchObject({ ...typed, cityId: lagos });
    expect((await archive.pool.query('select area_id from listings where city = $1', [typed.city])).rows).toEqual([
      { area_id: lagos },
    ]);
    // The country has several.
    expect(await save(ada, { city: 'Springfield', country: 'US' })).toMatchObject({
      city: 'Springfield',
      cityId: null,
    });
    expect(await save(ada, { city: 'Lagos', country: 'GH' })).toMatchObject({ city: 'Lagos', cityId: null });
  });

  test.each([
    ['a name like a host', { employer: 'Booking.com' }, null],
    ['a web address as employer', { employer: 'https://x.example' }, '/positions/0/employer'],
    ['an email address as employer', { employer: 'a@b.example' }, '/positions/0/employer'],
    ['an end before the start', { from: 2021, to: 2019 }, '/positions/0/to'],
    ['a future start', { from: 2999 }, '/positions/0/from'],
    ['a future end', { to: 2999 }, '/positions/0/to'],
    ['an unknown field of work', { field: 'alchemy' }, '/positions/0/field'],
    ['neither role nor employer', { role: '', employer: '' }, '/positions/0/role'],
  ])('answers %s with the pointer of the field', async (_, change, pointer) => {
    const response = await ask(await archive.createMember(), { ...empty, positions: [{ ...engineer, ...change }] });
    expect([response.statusCode, response.json().errors?.[0]?.pointer ?? null]).toEqual([pointer ? 422 : 200, pointer]);
  });

  test.each([
    ['a sixth position', { positions: Array.from({ length: 6 }, () => engineer) }, '/positions'],
    ['an unknown country', { country: 'QQ' }, '/country'],
    ['a city without a country', { city: 'Lagos' }, '/country'],
    ['an unknown city', { city: 'Lagos', cityId: 1, country: 'NG' }, '/cityId'],
    ['a city of another country', { city: 'Lagos', cityId: lagos, country: 'GH' }, '/cityId'],
  ])('refuses %s with the pointer of the field', async (_, change, pointer) => {
    const response = await ask(await archive.createMember(), { ...empty, ...change });
    expect([response.statusCode, response.json().errors[0].pointer]).toEqual([422, pointer]);
  });

  test('reveals the answer to “What do you do now?” to no one but its owner', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const tracer = { activity: 'seeking', inField: null } as const;
    await save(ada, { positions: [engineer], tracer });
    expect((await read(ada)).tracer).toEqual(tracer);
    // A save without an answer keeps it, null deletes it.
    expect((await save(ada, { positions: [engineer] })).tracer).toEqual(tracer);
    for (const { device } of [ben, { device: archive.openDevice() }]) {
      const seen = await Promise.all(
        [
          `/api/users/${ada.uid}`,
          `/api/users/${ada.uid}/career`,
          '/api/users?limit=96',
          '/api/search/careers?q=Shell',
        ].map(async (url) => (await device.fetch('GET', url)).body),
      );
      expect(seen.join('\n')).not.toContain('seeking');
    }
    expect((await ask(ben, empty)).statusCode).toBe(200);
    expect((await ben.device.fetch('PUT', `/api/users/${ada.uid}/career`, empty)).statusCode).toBe(403);
    expect((await save(ada, { tracer: null })).tracer).toBeNull();
  });
});

describe('an imported position', () => {
  test('is asked for, and visible to no one else on any call before its owner confirms it', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const employer = 'Unconfirmed Works';
    await save(ada, {});
    await importPosition(ada, employer);
    expect(await read(ada)).toMatchObject({ isAsked: true, positions: [{ employer, confirmedOn: null }] });
    const everythingFor = async ({ device }: Pick<Visitor, 'device'>) => {
      const urls = [
        `/api/users/${ada.uid}`,
        `/api/users/${ada.uid}/career`,
        '/api/users?limit=96',
        '/api/careers',
        '/api/careers?employer=unconfirmedworks',
        '/api/careers/overview',
        '/api/employers?q=unconf',
        '/api/search/careers?q=Unconfirmed%20Works',
      ];
      const bodies = urls.map(async (url) => (await device.fetch('GET', url)).body);
      return (await Promise.all(bodies)).join('\n').replaceAll('q=Unconfirmed', '');
    };
    for (const viewer of [ben, { device: archive.openDevice() }])
      expect(await everythingFor(viewer)).not.toContain(employer);
    const rows = `select 1 from listings where employer = $1 union all select 1 from employers where name = $1`;
    expect((await archive.pool.query(rows, [employer])).rowCount).toBe(0);
    await save(ada, { positions: [{ ...engineer, employer }] });
    expect(await everythingFor(ben)).toContain(employer);
    expect(await everythingFor({ device: archive.openDevice() })).not.toContain(employer);
    expect((await read(ada)).isAsked).toBe(false);
  });
});

describe('POST /api/users/{id}/career/dismissal', () => {
  test('hides the question for 90 days', async () => {
    const ada = await archive.createMember();
    expect((await read(ada)).isAsked).toBe(true);
    await ada.device.call('POST /api/users/{id}/career/dismissal', { params: { id: ada.uid } });
    expect((await read(ada)).isAsked).toBe(false);
    await archive.pool.query(
      `update profiles set career_dismissed_at = career_dismissed_at - interval '91 days' where account_id = $1`,
      [ada.uid],
    );
    expect((await read(ada)).isAsked).toBe(true);
  });
});

describe('the notification that asks where people are', () => {
  const countQuestions = async (...people: Member[]): Promise<number[]> => {
    await askForCareersJob.queue(archive.context.db, {});
    await archive.runJobs();
    return Promise.all(
      people.map(async ({ device }) => {
        const { notifications } = await device.call('GET /api/notifications', { query: {} });
        return notifications.filter(({ kind }) => kind === 'career-question').length;
      }),
    );
  };
  const setJoined = (age: string, ...people: Member[]) =>
    archive.pool.query('update profiles set created_at = now() - $1::interval where account_id = any($2)', [
      age,
      people.map(({ uid }) => uid),
    ]);

  test('arrives once, 7 days after joining, and not after a save or a dismissal', async () => {
    const [ada, saved, dismissed] = await Promise.all(Array.from({ length: 3 }, () => archive.createMember()));
    if (!ada || !saved || !dismissed) throw new Error('Three members are needed.');
    await save(saved, {});
    await dismissed.device.call('POST /api/users/{id}/career/dismissal', { params: { id: dismissed.uid } });
    await setJoined('6 days', ada, saved, dismissed);
    expect(await countQuestions(ada, saved, dismissed)).toEqual([0, 0, 0]);
    await setJoined('7 days', ada, saved, dismissed);
    expect(await countQuestions(ada, saved, dismissed)).toEqual([1, 0, 0]);
    await archive.pool.query('delete from notifications where account_id = $1', [ada.uid]);
    expect(await countQuestions(ada)).toEqual([0]);
  });

  test('does not reach people who joined before this version, or were imported', async () => {
    const [older, imported] = [await archive.createMember(), await archive.createMember()];
    // As the migration does for the rows that it finds.
    await archive.pool.query('update profiles set awaits_career_question = false where account_id = $1', [older.uid]);
    await setJoined('8 days', older);
    await setJoined('3 years', imported);
    expect(await countQuestions(older, imported)).toEqual([0, 0]);
  });
});
