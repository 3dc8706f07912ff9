import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Member, openArchive, type TestArchive } from '#server/testing/archive.ts';
import { findQueued } from '#server/testing/jobs.ts';
import { queuePendingRebuild } from '#server/domain/search/search-rebuild.ts';
import { recountWords } from '#server/domain/search/vocabulary.ts';
import { createRandom } from '#server/seed/random.ts';
import type { Device } from '#server/testing/device.ts';
import { findBySurnames } from './name-prefixes.ts';
import { type RankedRow, rank } from './ranking.ts';

let archive: TestArchive;
let seeker: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  seeker = await archive.createMember({ firstName: 'Seeker', middleName: 'Of', lastName: 'People' });
});
afterAll(() => archive.close());

const find = async (device: Device, q: string) =>
  (await device.call('GET /api/search', { query: { q } })).items.map(({ id }) => id);

test(
  'GET /api/search finds prefixes of names in any order, ignoring case and accents',
  { tags: ['spec-2.43'] },
  async () => {
    const { uid } = await archive.createMember({
      firstName: 'Ọládélé',
      middleName: 'Chidi',
      lastName: "O'Connor-Ṣóyínká",
    });
    for (const q of ['Ọládélé', 'oladele', 'OLAD', 'soyinka olad', 'oconnor', "o'con", 'chi  soy', 'o’connor ṣóyí']) {
      expect(await find(seeker.device, q), q).toContain(uid);
    }
    for (const q of ['oladele musa', 'delé', 'x']) expect(await find(seeker.device, q), q).not.toContain(uid);
  },
);

test('GET /api/search ranks whole names before prefixes, and names before departments', async () => {
  const department = await archive.createMember({
    firstName: 'Zed',
    middleName: 'Zed',
    lastName: 'Zz',
    department: 'Mathis Studies',
  });
  const beginning = await archive.createMember({ firstName: 'Mathison', middleName: 'Zed', lastName: 'Aa' });
  const whole = await archive.createMember({ firstName: 'Mathis', middleName: 'Zed', lastName: 'Zz' });
  expect(await find(seeker.device, 'mathis')).toEqual([whole.uid, beginning.uid, department.uid]);
});

test('GET /api/search does not match fields that the caller may not see', { tags: ['asvs-8.3.1'] }, async () => {
  const hidden = await archive.createMember(
    { department: 'Hidden Quarters', matricNumber: 'HIDDENMAT123456' },
    { visibility: { department: 'members', matricNumber: 'me' } },
  );
  const unlisted = await archive.createMember({ lastName: 'Unlistedson' }, { visibility: { name: 'members' } });
  const shown = await archive.createMember({ matricNumber: 'SHOWNMAT1234567' });
  const guest = archive.openDevice();
  expect(await find(guest, 'hidden quarters')).toEqual([]);
  expect(await find(seeker.device, 'hidden quarters')).toEqual([hidden.uid]);
  expect(await find(seeker.device, 'hiddenmat')).toEqual([]);
  expect(await find(guest, 'shownmat')).toEqual([]);
  // The full number matches, although a card shows only eleven characters.
  expect(await find(seeker.device, 'shownmat1234567')).toEqual([shown.uid]);
  expect(await find(guest, 'unlistedson')).toEqual([]);
  expect(await find(seeker.device, 'unlistedson')).toEqual([unlisted.uid]);
});

test('GET /api/search finds words despite one or two typing errors or a phonetic spelling', async () => {
  const { uid } = await archive.createMember({ firstName: 'Ṣẹ̀yífúnmi', middleName: 'Kwame', lastName: 'Chukwuemeka' });
  for (const q of [
    'seyifunmi chukwuemeka',
    'seyifumi chukwuemeka',
    'seyifnumi chukwuemeka',
    'sheyifunmi chuqwuemeka',
    'seyifunmi chukwuemkea',
    'seyfumni chukwuemeka',
    'chukuemeka seyifunmi',
    'kwaem seyifunmi',
  ])
    expect((await find(seeker.device, q))[0], q).toBe(uid);
  for (const q of ['syifnm chukwuemeka', 'kwwme seyifunmo xyz']) expect(await find(seeker.device, q), q).toEqual([]);
});

test('GET /api/search returns the matching fields and positions', async () => {
  await archive.createMember({
    firstName: 'Ọmọ́tọ́lá',
    middleName: 'Ẹniọlá',
    lastName: "O'Connor-Wílsọ̀n",
    college: 'COVTED',
    department: 'Marked Studies',
    yearGraduated: 2019,
    matricNumber: '201512VT0000017',
    otherNames: 'née Fáladé',
  });
  const matched = async (q: string) => {
    const { items } = await seeker.device.call('GET /api/search', { query: { q } });
    return items[0]?.matches.map(({ field, text, marks }) => [
      field,
      ...marks.map(([from, to]) => text.slice(from, to)),
    ]);
  };
  expect(await matched('omoto wilson')).toEqual([['name', 'Ọmọ́tọ́', 'Wílsọ̀n']]);
  expect(await matched('o wilson')).toEqual([['name', 'Ọ', 'O', 'Wílsọ̀n']]);
  expect(await matched('omotola oconnor')).toEqual([['name', 'Ọmọ́tọ́lá', "O'Connor"]]);
  expect(await matched('omotolla falade')).toEqual([
    ['name', 'Ọmọ́tọ́lá'],
    ['otherNames', 'Fáladé'],
  ]);
  expect(await matched('omotola marked 2019')).toEqual([
    ['name', 'Ọmọ́tọ́lá'],
    ['department', 'Marked'],
    ['yearGraduated', '2019'],
  ]);
  expect(await matched('covted omotola')).toEqual([
    ['name', 'Ọmọ́tọ́lá'],
    ['college', 'COVTED'],
  ]);
  expect(await matched('201512vt0000017')).toEqual([['matricNumber', '201512VT000']]);
});

test('GET /api/search corrects a spelling for guests only to words that they may see', async () => {
  await archive.createMember({ otherNames: 'Abcdefghij' }, { visibility: { otherNames: 'everyone' } });
  const guest = archive.openDevice();
  const before = await find(guest, 'abcdefghxy');
  expect(before).toHaveLength(1);
  // The nearest word is one that only members may see.
  await archive.createMember({ otherNames: 'Abcdefghxz' });
  expect(await find(guest, 'abcdefghxy')).toEqual(before);
  expect(await find(seeker.device, 'abcdefghxy')).not.toEqual(before);
});

test('GET /api/search matches whole matric numbers, although cards show only their beginning', async () => {
  const { uid } = await archive.createMember({ matricNumber: 'SCI/2011/0204/CSC/7', lastName: 'Slashed' });
  for (const q of ['SCI/2011/0204/CSC/7', 'sci 2011 0204', '0204 csc'])
    expect(await find(seeker.device, q)).toEqual([uid]);
  const lettered = await archive.createMember({ matricNumber: 'SCI/2012/077/B', lastName: 'Lettered' });
  expect(await find(seeker.device, 'sci/2012/077/b')).toEqual([lettered.uid]);
  // A number that is not in the hidden rest does not match.
  const none = await seeker.device.call('GET /api/search', { query: { q: 'slashed 9' } });
  expect(none.items).toEqual([]);
  const guest = await archive.openDevice().call('GET /api/search', { query: { q: 'SCI/2011/0204/CSC/7' } });
  expect(guest.items).toEqual([]);
});

test('GET /api/search matches matric numbers typed without separators, if at least five characters are typed', async () => {
  const { uid } = await archive.createMember({ matricNumber: 'CSC/15/0012', lastName: 'Unseparated' });
  const short = await archive.createMember({ matricNumber: 'ED-7/31', lastName: 'Unseparated' });
  const hidden = await archive.createMember({ matricNumber: 'CSC/15/0013' }, { visibility: { matricNumber: 'me' } });
  for (const q of [
    'CSC150012',
    'csc 150012',
    'csc15 0012',
    'csc15/0012',
    'csc15',
    'csc1500',
    'unseparated 150012',
    'csc/15/0',
    'csc/15/001',
  ])
    expect(await find(seeker.device, q), q).toEqual([uid]);
  for (const q of ['ed731', 'ed 731', 'unseparated ed731'])
    expect(await find(seeker.device, q), q).toEqual([short.uid]);
  expect(await find(seeker.device, 'csc150013')).toEqual([]);
  for (const q of ['csc150012', 'csc 150012', 'csc15']) expect(await find(archive.openDevice(), q), q).toEqual([]);
  const { items } = await seeker.device.call('GET /api/search', { query: { q: 'csc 15001' } });
  const [match] = items[0]?.matches ?? [];
  expect(match?.marks.map(([from, to]) => match.text.slice(from, to))).toEqual(['CSC', '15/001']);
  await hidden.device.call('DELETE /api/identity/account');
});

test('GET /api/search returns facets, each of which ignores the filter on its own field', async () => {
  const people = [
    { department: 'Facet One', college: 'COSIT', yearGraduated: 2001 },
    { department: 'Facet One', college: 'COSIT', yearGraduated: 2011 },
    { department: 'Facet Two', college: 'COHUM', yearGraduated: 2011 },
  ];
  for (const person of people) await archive.createMember({ ...person, lastName: 'Facetperson', program: 'B.Sc' });
  const search = (query: object) => seeker.device.call('GET /api/search', { query: { q: 'facetperson', ...query } });
  const all = await search({});
  expect([all.count, all.isAtLeast]).toEqual([3, false]);
  expect(all.facets).toEqual({
    colleges: [
      { value: 'COHUM', count: 1 },
      { value: 'COSIT', count: 2 },
    ],
    departments: [
      { value: 'Facet One', count: 2 },
      { value: 'Facet Two', count: 1 },
    ],
    programs: [{ value: 'B.Sc', count: 3 }],
    years: [
      { value: 2001, count: 1 },
      { value: 2011, count: 2 },
    ],
  });
  const some = await search({ college: 'COSIT', graduatedFrom: 2010, graduatedTo: 2019 });
  expect(some.items.map(({ yearGraduated }) => yearGraduated)).toEqual([2011]);
  expect(some.facets).toMatchObject({
    colleges: [
      { value: 'COHUM', count: 1 },
      { value: 'COSIT', count: 1 },
    ],
    departments: [{ value: 'Facet One', count: 1 }],
    years: [
      { value: 2001, count: 1 },
      { value: 2011, count: 1 },
    ],
  });
});

async function listCrowd(sortName: string, count: number): Promise<void> {
  await archive.pool.query(`delete from accounts where display_name = 'Crowd' and email like $1 || '%'`, [sortName]);
  await archive.pool.query(
    `with people as (
       insert into accounts (email, email_verified, password_hash, display_name)
       select $1 || to_char(n, 'FM0000') || '@mail.example', true, '!', 'Crowd' from generate_series(1, $2) n returning id, email
     )
     insert into listings (audience, account_id, sort_name, given_sort_name, name, department, program, year_graduated, search)
     select 'members', id, $1 || ' ' || email, 'crowd ' || email, 'Crowd ' || email,
            case when email like '%7@%' then 'Crowd Seven' else 'Crowd Other' end, 'B.Sc', 2012,
            array_to_tsvector(array['crowd', $1::text, case when email like '%7@%' then 'seven' else 'other' end])
     from people`,
    [sortName, count],
  );
}

test(
  'GET /api/search returns the first names of a large crowd, and counts and filters all of them separately',
  { tags: ['asvs-15.2.2'] },
  async () => {
    await listCrowd('crowdson', 700);
    const search = (query: object) => seeker.device.call('GET /api/search', { query: { q: 'crowdson', ...query } });
    const all = await search({});
    expect([all.count, all.isAtLeast, all.items.length, all.facets]).toEqual([48, true, 48, null]);
    expect(all.items.map(({ name }) => name)).toEqual(all.items.map(({ name }) => name).toSorted());
    const counts = (query: object) =>
      seeker.device.call('GET /api/search/facets', { query: { q: 'crowdson', ...query } });
    const { facets, ...counted } = await counts({});
    expect(counted).toEqual({ count: 700, isAtLeast: false });
    expect(facets?.departments).toEqual([
      { value: 'Crowd Other', count: 630 },
      { value: 'Crowd Seven', count: 70 },
    ]);
    const some = await search({ department: 'Crowd Seven' });
    expect([some.count, some.isAtLeast, some.items.length]).toEqual([48, true, 48]);
    expect(new Set(some.items.map(({ department }) => department))).toEqual(new Set(['Crowd Seven']));
    expect((await counts({ department: 'Crowd Seven' })).count).toBe(70);
    // Guests see none of these people.
    const guest = await archive.openDevice().call('GET /api/search/facets', { query: { q: 'crowdson' } });
    expect([guest.count, guest.facets?.departments]).toEqual([0, []]);
  },
);

test('GET /api/search returns the first people by name if more match by another field than it can rank', async () => {
  await listCrowd('crowdson', 700);
  await listCrowd('throngson', 400);
  const found = await seeker.device.call('GET /api/search', { query: { q: 'other' } });
  expect([found.count, found.isAtLeast, found.items.length, found.facets]).toEqual([990, false, 48, null]);
  expect(found.items[0]?.name).toBe('Crowd crowdson0001@mail.example');
  await recountWords(archive.context.db);
  const misspelled = await seeker.device.call('GET /api/search', { query: { q: 'throngsen' } });
  expect([misspelled.count, misspelled.isAtLeast, misspelled.items.length]).toEqual([400, false, 48]);
  const query = { q: 'throngsen', department: 'Crowd Seven' };
  expect((await seeker.device.call('GET /api/search', { query })).count).toBe(40);
  const counts = await seeker.device.call('GET /api/search/facets', { query });
  expect([counts.count, counts.facets?.departments]).toEqual([
    40,
    [
      { value: 'Crowd Other', count: 360 },
      { value: 'Crowd Seven', count: 40 },
    ],
  ]);
});

test('GET /api/search/facets counts no fields if more than 20,000 people match', { tags: ['release'] }, async () => {
  const other = await openArchive(inject('databases'));
  try {
    const { device } = await other.createMember();
    await other.pool.query(
      `with people as (
         insert into accounts (email, email_verified, password_hash, display_name)
         select n || '@mail.example', true, '!', 'Mass' from generate_series(1, 20001) n returning id
       )
       insert into listings (audience, account_id, sort_name, given_sort_name, name, search)
       select 'members', id, 'massname', 'massname', 'Massname', array_to_tsvector(array['massname']) from people`,
    );
    expect(await device.call('GET /api/search/facets', { query: { q: 'massname' } })).toEqual({
      count: 20_000,
      isAtLeast: true,
      facets: null,
    });
    await other.createMember({ lastName: 'Massname', department: 'Tiny Department' });
    const query = { q: 'massname', department: 'Tiny Department' };
    for (const name of ['GET /api/search', 'GET /api/search/facets'] as const)
      expect(await device.call(name, { query }), name).toMatchObject({ count: 1, isAtLeast: false, facets: null });
  } finally {
    await other.close();
  }
});

test('GET /api/search returns the first people by name of a department with more people than it can sort', async () => {
  const other = await openArchive(inject('databases'));
  try {
    // The first people by name are stored last.
    await other.pool.query(
      `with people as (
         insert into accounts (email, email_verified, password_hash, display_name)
         select to_char(9999 - n, 'FM0000') || '@mail.example', true, '!', 'Mass' from generate_series(1, 5100) n
         returning id, left(email, 4) as number
       )
       insert into listings (audience, account_id, sort_name, given_sort_name, name, department, search)
       select 'members', id, 'n' || number, 'n' || number, 'N' || number, 'Computer Science',
              array_to_tsvector(array['n' || number, 'computer', 'science']) from people`,
    );
    const { device } = await other.createMember({ department: 'Physics' });
    const named = await other.createMember({ lastName: 'Computerson', department: 'Physics' });
    await other.createMember(
      { lastName: 'Aardvark', department: 'Computer Science' },
      { visibility: { department: 'me' } },
    );
    const typed = await other.createMember({ lastName: 'Aardvark', department: 'Computer Sciences' });
    for (const [q, first] of [
      ['comp', [named.uid, typed.uid]],
      ['computer sci', [typed.uid]],
    ] as const) {
      const { items, ...found } = await device.call('GET /api/search', { query: { q } });
      expect(found, q).toEqual({ count: 5_000, isAtLeast: true, facets: null });
      expect(items.slice(0, first.length).map(({ id }) => id)).toEqual(first);
      const others = items.slice(first.length).map(({ name }) => name);
      expect(others, q).toEqual(Array.from({ length: 48 - first.length }, (_, at) => `N${4899 + at}`));
    }
    const filtered = { q: 'computer', department: 'Computer Science' };
    expect(await device.call('GET /api/search', { query: filtered })).toMatchObject({ count: 5_000, isAtLeast: true });
    const counted = await device.call('GET /api/search/facets', { query: { q: 'computer' } });
    expect([counted.count, counted.isAtLeast]).toEqual([5_102, false]);
    // Guests see none of the others.
    expect(await find(other.openDevice(), 'computer')).toEqual([named.uid, typed.uid]);
  } finally {
    await other.close();
  }
});

test('GET /api/search ranks surnames equal to the text first, then equal first names, then names that begin with it', async () => {
  const join = async (firstName: string, lastName: string) =>
    (await archive.createMember({ firstName, middleName: 'Zed', lastName })).uid;
  const longFirstName = await join('Quillonia', 'Aab');
  const longSurname = await join('Aab', 'Quillonson');
  const middleName = (await archive.createMember({ firstName: 'Aab', middleName: 'Quillon', lastName: 'Aab' })).uid;
  const firstName = await join('Quillon', 'Aab');
  const surname = await join('Aab', 'Quillon');
  expect(await find(seeker.device, 'quillon')).toEqual([surname, firstName, longSurname, longFirstName, middleName]);
  expect((await find(seeker.device, 'quillon a')).slice(0, 2)).toEqual([surname, firstName]);
});

test('GET /api/search returns the same first people as ranking everyone', async () => {
  const random = createRandom(54);
  const examples = ['x', 'xa', 'xax', 'xaj', 'xox', 'xa x', 'xej xo', 'xo xax', 'xo xa xe', 'xax jo', 'jox xe xa'];
  const syllables = ['xa', 'xe', 'xo', 'ja', 'je', 'jo'];
  const createName = () => Array.from({ length: random.integer(1, 3) }, () => random.pick(syllables)).join('');
  const names = Array.from({ length: 2_000 }, () => [createName(), createName(), createName()] as const);
  await archive.pool.query(
    `with names as (
       select ordinality as n, last, first, middle from unnest($1::text[], $2::text[], $3::text[]) with ordinality as t (last, first, middle, ordinality)
     ), people as (
       insert into accounts (email, email_verified, password_hash, display_name)
       select 'ranked' || n || '@mail.example', true, '!', 'Ranked' from names returning id, email
     )
     insert into listings (audience, account_id, sort_name, given_sort_name, name, search)
     select 'members', id, concat_ws(' ', last, first, middle), concat_ws(' ', first, last, middle),
            concat_ws(' ', first, middle, last), array_to_tsvector(array[last, first, middle])
     from names join people on email = 'ranked' || n || '@mail.example'`,
    [names.map(([last]) => last), names.map(([, first]) => first), names.map(([, , middle]) => middle)],
  );
  const { rows } = await archive.pool.query<RankedRow>(
    "select l.* from listings l join accounts on id = account_id where audience = 'members' and email like 'ranked%'",
  );
  const nameOf = ({ name }: { name: string }) => name;
  const beginnings = Array.from({ length: 20 }, () =>
    [createName(), createName()].map((name) => name.slice(0, random.integer(2, 3))).join(' '),
  );
  const guest = archive.openDevice();
  const expectFirstPeople = async (isCommon: boolean) => {
    let crowds = 0;
    for (const q of [...examples, ...beginnings]) {
      const { items, count, isAtLeast } = await seeker.device.call('GET /api/search', { query: { q } });
      const isTooShort = q.split(' ').every(({ length }) => length < 3);
      const candidates = rows.filter(
        ({ sort_name: last, given_sort_name: first }) => !isTooShort || last.startsWith(q) || first.startsWith(q),
      );
      const ranked = rank(candidates, q.split(' '));
      expect(items.map(nameOf), q).toEqual(ranked.slice(0, 48).map(nameOf));
      if (isAtLeast) expect([count, ranked.length > 48], q).toEqual([48, true]);
      else expect(count, q).toBe(ranked.length);
      if (isAtLeast && q.includes(' ')) crowds++;
      expect(await find(guest, q), q).toEqual([]);
    }
    expect(crowds > 5, String(crowds)).toBe(isCommon);
  };
  await expectFirstPeople(false);
  await recountWords(archive.context.db);
  await archive.pool.query("update search_words set people = 12000 where word ~ '^[xj]'");
  await expectFirstPeople(true);
});

test('GET /api/search ranks surnames before other names if more people match than it can rank', async () => {
  await archive.pool.query(
    `with people as (
       insert into accounts (email, email_verified, password_hash, display_name)
       select 'middle' || n || '@mail.example', true, '!', 'Middle' from generate_series(1, 310) n returning id, email
     ), named as (
       select id, case when email < 'middle12' then 'nnuson qqeson' else 'aab nnuson qqeson' end as name from people
     )
     insert into listings (audience, account_id, sort_name, given_sort_name, name, search)
     select 'members', id, name, 'aab', name, array_to_tsvector(array['nnuson', 'qqeson']) from named`,
  );
  const { items, count } = await seeker.device.call('GET /api/search', { query: { q: 'qqe nnu' } });
  const surnames = items.filter(({ name }) => name === 'nnuson qqeson');
  expect([count, surnames.length, items.slice(0, surnames.length)]).toEqual([310, 22, surnames]);
});

test('findBySurnames returns nothing, instead of later people, if too many names come first', async () => {
  await archive.pool.query(
    `with people as (
       insert into accounts (email, email_verified, password_hash, display_name)
       select 'surname' || n || '@mail.example', true, '!', 'Surname' from generate_series(1, 40) n returning id, email
     )
     insert into listings (audience, account_id, sort_name, name, search)
     select 'members', id, case when email < 'surname3' then 'zqa other' else 'zqb zqanna' end, email, '' from people`,
  );
  const find = async (limits: { people: number; names: number }) =>
    (await findBySurnames(archive.context.db, 'members', ['zqb', 'zqa'], limits))?.length ?? null;
  const { rows } = await archive.pool.query<{ first: number }>(
    "select count(*)::int as first from listings where sort_name = 'zqa other'",
  );
  const first = rows[0]?.first ?? 0;
  expect(await find({ people: 5, names: first })).toBe(5);
  expect(await find({ people: 5, names: first - 1 })).toBeNull();
  expect(await find({ people: 40 - first, names: 40 })).toBe(40 - first);
  expect(await find({ people: 41 - first, names: 40 })).toBeNull();
});

test('GET /api/search matches one or two letters, or initials, only at the beginning of names', async () => {
  const { uid } = await archive.createMember({ firstName: 'Wxan', middleName: 'Wyle', lastName: 'Vxol' });
  for (const q of ['vx', 'wx', 'vxol w', 'wxan v']) expect(await find(seeker.device, q), q).toContain(uid);
  for (const q of ['wy', 'v w', 'w y']) expect(await find(seeker.device, q), q).not.toContain(uid);
  const counts = await seeker.device.call('GET /api/search/facets', { query: { q: 'vx' } });
  expect(counts).toMatchObject({ count: 1, isAtLeast: false });
});

test('GET /api/search matches former names and nicknames that the caller may see', async () => {
  const shown = await archive.createMember({ otherNames: 'Shownformer' }, { visibility: { otherNames: 'everyone' } });
  const usual = await archive.createMember({ otherNames: 'Usualformer' });
  const hidden = await archive.createMember({ otherNames: 'Hiddenformer' }, { visibility: { otherNames: 'me' } });
  const guest = archive.openDevice();
  expect(await find(guest, 'shownformer')).toEqual([shown.uid]);
  expect(await find(guest, 'usualformer')).toEqual([]);
  expect(await find(seeker.device, 'usualformer')).toEqual([usual.uid]);
  for (const device of [guest, seeker.device, hidden.device]) expect(await find(device, 'hiddenformer')).toEqual([]);
  const seen = async (device: Device, id: string) =>
    (await device.call('GET /api/users/{id}', { params: { id }, query: {} })).name.other;
  expect([await seen(guest, shown.uid), await seen(guest, usual.uid)]).toEqual(['Shownformer', undefined]);
  expect([await seen(seeker.device, hidden.uid), await seen(hidden.device, hidden.uid)]).toEqual([
    undefined,
    'Hiddenformer',
  ]);
});

test('the search vocabulary contains no hidden names, and a name is removed when the last person with it is deleted', async () => {
  const known = async (word: string) =>
    (await archive.pool.query('select from search_words where word = $1', [word])).rowCount;
  const hidden = await archive.createMember({ otherNames: 'Neverlearnt' }, { visibility: { otherNames: 'me' } });
  expect(await known('neverlearnt')).toBe(0);
  const first = await archive.createMember({ lastName: 'Lastofthem' });
  const second = await archive.createMember({ lastName: 'Lastofthem' });
  await first.device.call('DELETE /api/identity/account');
  expect(await known('lastofthem')).toBe(1);
  await second.device.call('DELETE /api/identity/account');
  expect(await known('lastofthem')).toBe(0);
  await hidden.device.call('DELETE /api/identity/account');
});

test('a name is removed from the search vocabulary when the last person with it takes another name', async () => {
  const known = async (word: string) =>
    (await archive.pool.query('select from search_words where word = $1', [word])).rowCount;
  const first = await archive.createMember({ lastName: 'Onceshared' });
  const second = await archive.createMember({ lastName: 'Onceshared' });
  const rename = async ({ device, uid, document }: Member, last: string) => {
    const { imgURL } = await device.call('GET /api/users/{id}', { params: { id: uid }, query: {} });
    const body = { ...document, imgURL, name: { ...document.name, last } };
    await device.call('PUT /api/users/{id}', { params: { id: uid }, body });
  };
  await rename(first, 'Brandnewname');
  expect([await known('onceshared'), await known('brandnewname')]).toEqual([1, 1]);
  await rename(second, 'Brandnewname');
  expect([await known('onceshared'), await known('brandnewname')]).toEqual([0, 1]);
  expect(await find(seeker.device, 'brandnewnmae')).toEqual(expect.arrayContaining([first.uid, second.uid]));
});

test('the nightly job adds missing words to the search vocabulary and deletes unused ones', async () => {
  const { uid } = await archive.createMember({ lastName: 'Nightlyname' });
  await archive.pool.query("delete from search_words where word = 'nightlyname'");
  await archive.pool.query("insert into search_words (word, people) values ('nobodyatall', 1), ('nobodyagain', 0)");
  expect(await find(seeker.device, 'nightlynmae')).toEqual([]);
  await recountWords(archive.context.db);
  expect(await find(seeker.device, 'nightlynmae')).toEqual([uid]);
  const { rows } = await archive.pool.query("select from search_words where word like 'nobody%'");
  expect(rows).toEqual([]);
});

test('the search vocabulary is rebuilt after a migration requests a rebuild', async () => {
  const { uid } = await archive.createMember({ lastName: 'Updatedname' });
  await archive.pool.query('delete from search_words');
  await archive.pool.query('insert into pending_search_rebuild default values');
  expect(await find(seeker.device, 'updatedn')).toEqual([uid]);
  expect(await find(seeker.device, 'updatednmae')).toEqual([]);
  await queuePendingRebuild(archive.context.db);
  await archive.runJobs();
  expect(await find(seeker.device, 'updatednmae')).toEqual([uid]);
  const { rows } = await archive.pool.query("select word from search_words where word ~ '[0-9]'");
  expect(rows).toEqual([]);
  await queuePendingRebuild(archive.context.db);
  expect(await findQueued(archive.context.db, 'search:rebuild')).toEqual([]);
});

test('GET /api/search finds a changed profile by its new name, not by its old one', async () => {
  const member = await archive.createMember({ lastName: 'Maidenname' });
  const { imgURL } = await member.device.call('GET /api/users/{id}', { params: { id: member.uid }, query: {} });
  const body = { ...member.document, imgURL, name: { ...member.document.name, last: 'Marriedname' } };
  await member.device.call('PUT /api/users/{id}', { params: { id: member.uid }, body });
  expect(await find(seeker.device, 'maidenname')).toEqual([]);
  expect(await find(seeker.device, 'marriedname')).toEqual([member.uid]);
});

for (const [q, tags = []] of [
  ["'; drop table listings; --", ['asvs-1.2.4']],
  ['a & b | !c'],
  ['('],
  [':*'],
  ['\\'],
  ['%'],
  ['👩‍🎓'],
  ["''''"],
] as [string, string[]?][])
  test(`GET /api/search treats ${JSON.stringify(q)} as plain text`, { tags }, async () => {
    expect(Array.isArray(await find(seeker.device, q))).toBe(true);
  });

test.each(['', 'q=', `q=${'x'.repeat(161)}`])('GET /api/search responds with 400 to the query %j', async (query) => {
  expect((await seeker.device.fetch('GET', `/api/search?${query}`)).json()).toMatchObject({
    status: 400,
    code: 'malformed-request',
  });
});
