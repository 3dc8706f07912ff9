import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CareerDocument, CareerFilters } from '#contract/careers.ts';
import { mergeEmployer, rewriteEmployerKeys } from '#server/domain/careers/employers.ts';
import { findCity, suggestCities } from '#server/domain/careers/places.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';

let archive: TestArchive;
let viewer: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  viewer = await archive.createMember();
});
afterAll(() => archive.close());

const findCityId = (name: string, country: string): number => suggestCities(name, country)[0]?.id ?? 0;
const lagos = findCityId('Lagos', 'NG');

type Answers = Partial<Omit<CareerDocument, 'positions'>> & { employer?: string; role?: string };

const saveCareer = ({ device, uid }: Member, { employer = '', role = '', ...answers }: Answers) =>
  device.call('PUT /api/users/{id}/career', {
    params: { id: uid },
    body: {
      positions: employer || role ? [{ role, employer, field: 'finance', from: null, to: null }] : [],
      city: '',
      cityId: null,
      country: '',
      helps: [],
      version: 'any',
      ...answers,
    },
  });

async function createWorker(answers: Answers, lastName?: string): Promise<Member> {
  const member = await archive.createMember({ department: 'Physics', ...(lastName !== undefined && { lastName }) });
  await saveCareer(member, answers);
  return member;
}

const merge = async (key: string, into: string) =>
  rewriteEmployerKeys(
    archive.context.db,
    await archive.context.db.transaction().execute((tx) => mergeEmployer(tx, key, into)),
  );

const livesIn = (city: string, country: string): Answers => ({ city, cityId: findCityId(city, country), country });

const list = (filters: CareerFilters) => viewer.device.call('GET /api/careers', { query: filters });
const listIds = async (filters: CareerFilters) => (await list(filters)).items.map(({ id }) => id);

const getOverview = (device: Device, query: { department?: string } = {}) =>
  device.call('GET /api/careers/overview', { query });

describe('GET /api/careers', () => {
  test('lists people with a career by last name, 24 at a time, with their number', async () => {
    const department = 'Paging Studies';
    const members = await Promise.all(
      Array.from({ length: 26 }, (_, at) =>
        archive.createMember({ department, lastName: `Page${String.fromCodePoint(97 + at)}` }),
      ),
    );
    for (const member of members) await saveCareer(member, { country: 'GH', role: 'Reader' });
    await archive.createMember({ department });
    const first = await list({ department, country: 'GH' });
    expect(first).toMatchObject({ count: 26, isAtLeast: false, employer: null });
    const second = await viewer.device.call('GET /api/careers', {
      query: { department, country: 'GH', after: first.next ?? '' },
    });
    expect(second).toMatchObject({ count: null, next: null });
    const ids = members.map(({ uid }) => uid);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(first.items).toHaveLength(24);
    expect(await listIds({ department, name: 'PAGEB' })).toEqual(ids.slice(1, 2));
    expect((await list({ department })).count).toBe(26);
  });

  test('refuses an area that is no possible id', async () => {
    for (const area of [0, 3_000_000_000])
      expect(await viewer.device.code('GET /api/careers', { query: { area } })).toBe('malformed-request');
  });

  test('shows role, employer and place, and finds the person by each filter', async () => {
    const { uid } = await createWorker({
      employer: 'Kola Nut Ltd.',
      role: 'Taster',
      helps: ['advice', 'talk'],
      ...livesIn('Ibadan', 'NG'),
    });
    const cityId = findCityId('Ibadan', 'NG');
    const both = { employer: 'kolanut', department: 'Physics' };
    for (const filters of [
      { employer: 'kolanut' },
      { ...both, field: 'finance' },
      { ...both, area: findCity(cityId)?.areaId },
      { ...both, country: 'NG' },
      { ...both, help: 'talk' },
    ] as const)
      expect((await list(filters)).items, JSON.stringify(filters)).toMatchObject([
        { id: uid, role: 'Taster', employer: 'Kola Nut Ltd.', city: 'Ibadan', country: 'NG' },
      ]);
    for (const filters of [
      { ...both, department: 'Chemistry' },
      { ...both, field: 'health' },
      { ...both, area: lagos },
      { ...both, country: 'GH' },
      { ...both, help: 'referral' },
      { ...both, name: 'zzz' },
    ] as const)
      expect((await list(filters)).items, JSON.stringify(filters)).toEqual([]);
  });

  test('finds a person in Ikeja under Lagos', async () => {
    const { uid } = await createWorker({ employer: 'Ikeja Works', ...livesIn('Ikeja', 'NG') });
    expect(await listIds({ employer: 'ikejaworks', area: lagos })).toEqual([uid]);
  });

  test('lists two spellings together, also under the key of an employer that was merged', async () => {
    const one = await createWorker({ employer: 'GT Bank Ltd.' }, 'Aa');
    const other = await createWorker({ employer: 'GTBank' }, 'Bb');
    const merged = await createWorker({ employer: 'Guaranty Trust' }, 'Cc');
    expect(await list({ employer: 'gtbank' })).toMatchObject({ employer: { key: 'gtbank', people: 2 }, count: 2 });
    expect(await listIds({ employer: 'gtbank' })).toEqual([one.uid, other.uid]);
    await merge('guarantytrust', 'gtbank');
    for (const employer of ['gtbank', 'guarantytrust'])
      expect(await listIds({ employer })).toEqual([one.uid, other.uid, merged.uid]);
    expect((await list({ employer: 'guarantytrust' })).employer).toMatchObject({ key: 'gtbank', people: 3 });
  });

  test('removes help offers as soon as the person turns messages off', async () => {
    const helper = await createWorker({ role: 'Helper', helps: ['internship'] });
    expect(await listIds({ help: 'internship' })).toEqual([helper.uid]);
    await helper.device.call('PUT /api/contact/choices', { body: { takesMessages: false } });
    expect(await listIds({ help: 'internship' })).toEqual([]);
    await helper.device.call('PUT /api/contact/choices', { body: { takesMessages: true } });
    expect(await listIds({ help: 'internship' })).toEqual([helper.uid]);
  });

  test.each(['the helper', 'the viewer'])('hides help offers if %s has blocked the other', async (blocker) => {
    const helper = await createWorker({ role: 'Helper', helps: ['referral'] });
    const [by, whom] = blocker === 'the helper' ? [helper, viewer] : [viewer, helper];
    const readHelps = async () =>
      (await viewer.device.call('GET /api/users/{id}', { params: { id: helper.uid }, query: {} })).career?.helps;
    const read = async () => [
      await readHelps(),
      (await list({ help: 'referral' })).count,
      await listIds({ help: 'referral' }),
    ];
    const shown = [['referral'], 1, [helper.uid]];
    expect(await read()).toEqual(shown);
    await by.device.call('PUT /api/blocks/{id}', { params: { id: whom.uid } });
    expect(await read()).toEqual([undefined, 0, []]);
    expect(await listIds({ name: helper.document.name.last })).toContain(helper.uid);
    await by.device.call('DELETE /api/blocks/{id}', { params: { id: whom.uid } });
    expect(await read()).toEqual(shown);
    await helper.device.call('DELETE /api/identity/account');
  });

  test('counts browsed pages', async () => {
    const limited = await openArchive(inject('databases'), { BROWSE_PAGES_PER_HOUR: '2' });
    try {
      const { device } = await limited.createMember();
      await device.call('GET /api/careers', { query: {} });
      await device.call('GET /api/employers', { query: { q: 'a' } });
      expect(await device.code('GET /api/careers', { query: {} })).toBe('too-many-requests');
    } finally {
      await limited.close();
    }
  });
});

describe('GET /api/careers/overview', () => {
  test('shows guests no place of fewer than 5 people, and no sum that contains one', async () => {
    const everyone = { visibility: { city: 'everyone', country: 'everyone' } } as const;
    const add = async (people: number, answers: Answers) => {
      for (let at = 0; at < people; at++) await createWorker({ ...everyone, ...answers });
    };
    // Kenya: 7 people, 5 of them in one area.
    await add(5, livesIn('Nairobi', 'KE'));
    await add(1, livesIn('Kisumu', 'KE'));
    await add(1, { country: 'KE' });
    // Egypt: two areas of 4.
    await add(4, livesIn('Cairo', 'EG'));
    await add(4, livesIn('Alexandria', 'EG'));
    await add(4, livesIn('Paris', 'FR'));
    await add(5, { employer: 'Hidden Work', country: 'IT' });

    const ofGuest = await getOverview(archive.openDevice());
    expect(ofGuest).toEqual({
      areas: [expect.objectContaining({ name: 'Nairobi', country: 'KE', people: 5 })],
      countries: [
        { country: 'EG', people: 8, elsewhere: 8 },
        { country: 'IT', people: 5, elsewhere: 5 },
        { country: 'KE', people: 5, elsewhere: 0 },
      ],
      fields: [],
      employers: [],
    });
    const ofMember = await getOverview(viewer.device);
    expect(ofMember.areas).toContainEqual(expect.objectContaining({ name: 'Kisumu', people: 1 }));
    expect(ofMember.countries).toContainEqual({ country: 'KE', people: 7, elsewhere: 1 });
    expect(ofMember.employers).toContainEqual({ key: 'hiddenwork', name: 'Hidden Work', people: 5 });
    expect(ofMember.fields.map(({ field }) => field)).toEqual(['finance']);
  });

  test('shows a city to no one who may not see its country', async () => {
    const place = livesIn('Accra', 'GH');
    const areaId = findCity(place.cityId ?? 0)?.areaId;
    const before = (await getOverview(archive.openDevice())).countries;
    for (let at = 0; at < 5; at++)
      await createWorker({ ...place, visibility: { city: 'everyone', country: 'members' } });
    const { areas, countries } = await getOverview(archive.openDevice());
    expect(areas.map(({ id }) => id)).not.toContain(areaId);
    expect(countries).toEqual(before);
    expect((await getOverview(viewer.device)).areas).toContainEqual(expect.objectContaining({ id: areaId, people: 5 }));
  });

  test('counts a department like everyone, for members only', async () => {
    const department = 'Counted Studies';
    const members = await Promise.all(
      Array.from({ length: 3 }, () => archive.createMember({ department, yearGraduated: 2012 })),
    );
    for (const member of members) await saveCareer(member, { employer: 'Count Corp', ...livesIn('Ikeja', 'NG') });
    const expected = {
      areas: [expect.objectContaining({ id: lagos, name: 'Lagos', people: 3 })],
      countries: [{ country: 'NG', people: 3, elsewhere: 0 }],
      fields: [{ field: 'finance', people: 3 }],
      employers: [{ key: 'count', name: 'Count Corp', people: 3 }],
    };
    const ofClass = { department, graduatedFrom: 2012, graduatedTo: 2012 };
    for (const query of [{ department }, ofClass])
      expect(await viewer.device.call('GET /api/careers/overview', { query })).toEqual(expected);
    expect((await getOverview(viewer.device, { department: 'Physical Absence' })).countries).toEqual([]);
    for (const query of [{ department }, { graduatedFrom: 1990 }])
      expect(await archive.openDevice().code('GET /api/careers/overview', { query })).toBe('permission-denied');
  });
});

describe('GET /api/employers', () => {
  test('suggests employers by words and by the beginning of the key, most people first', async () => {
    for (const employer of ['Zebra Foods', 'Zebra Foods Plc', 'Royal Zebra Club', 'Unrelated'])
      await createWorker({ employer });
    const suggest = async (q: string) =>
      (await viewer.device.call('GET /api/employers', { query: { q } })).employers.map(({ key, people }) => [
        key,
        people,
      ]);
    const [foods, club] = [
      ['zebrafoods', 2],
      ['royalzebraclub', 1],
    ];
    expect(await suggest('ZEB')).toEqual([foods, club]);
    expect(await suggest('foods zeb')).toEqual([foods]);
    expect(await suggest('zebraf')).toEqual([foods]);
    expect(await suggest(`zeb'ra:*`)).toEqual([foods, club]);
    expect(await suggest('...')).toEqual([]);
  });
});

describe('GET /api/places', () => {
  test('suggests cities with their area', async () => {
    const { cities } = await viewer.device.call('GET /api/places', { query: { q: 'ikej', country: 'NG' } });
    expect(cities).toEqual([{ id: findCityId('Ikeja', 'NG'), name: 'Ikeja', country: 'NG', area: 'Lagos' }]);
    expect((await viewer.device.call('GET /api/places', { query: { q: 'lagos' } })).cities[0]?.area).toBeNull();
  });
});

describe('GET /api/search/careers', () => {
  const search = (q: string, device = viewer.device) => device.call('GET /api/search/careers', { query: { q } });

  test('shows members the employer that they search for, and its people', async () => {
    const [second, first] = [
      await createWorker({ employer: 'Quokka Ltd', role: 'Keeper' }, 'Bello'),
      await createWorker({ employer: 'Quokka' }, 'Abba'),
    ];
    await createWorker({ employer: 'Quokka Islands' });
    expect(await search('QUOKKA')).toMatchObject({
      isExact: true,
      employers: [
        { key: 'quokka', people: 2 },
        { key: 'quokkaislands', people: 1 },
      ],
      areas: [],
      people: [{ id: first.uid }, { id: second.uid, role: 'Keeper', employer: 'Quokka Ltd' }],
    });
    expect(await search('quok')).toMatchObject({ isExact: false, employers: [{ key: 'quokka' }, {}] });
    expect(await search('qoukka')).toMatchObject({ isExact: false, employers: [{ key: 'quokka' }], people: [{}, {}] });
    const none = { isExact: false, employers: [], areas: [], people: [] };
    for (const text of ['qu', 'qokuka', 'keeper', '...', ' ']) expect(await search(text), text).toEqual(none);
  });

  test('shows members the areas that they search for', async () => {
    await createWorker(livesIn('Zanzibar', 'TZ'));
    expect(await search('zanz')).toMatchObject({
      isExact: false,
      employers: [],
      areas: [{ name: 'Zanzibar', people: 1 }],
      people: [],
    });
  });

  test('finds the key of an employer that was merged into another one', async () => {
    await createWorker({ employer: 'Whole Numbers' });
    await createWorker({ employer: 'Integers' });
    await merge('integers', 'wholenumbers');
    expect(await search('Integers')).toMatchObject({ isExact: true, employers: [{ key: 'wholenumbers' }] });
  });
});
