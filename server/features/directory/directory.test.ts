import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Card, type DirectoryFilters, type DirectorySort, directorySorts } from '#contract/directory.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';
import { fold } from '#server/domain/search/folding.ts';
import { type Member, openArchive, type TestArchive } from '#server/testing/archive.ts';
import { Device } from '#server/testing/device.ts';
import { openDatabase } from '#server/db/client.ts';
import { copyDatabase } from '#server/testing/databases.ts';
import { seedCampus } from '#server/seed/campus.ts';

let archive: TestArchive;
let member: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await seedCampus(archive.context, { people: 150, portraits: 2 });
  member = await archive.createMember({ department: 'Computer Science' });
});
afterAll(() => archive.close());

async function listAll(
  device: Device,
  filters: DirectoryFilters & { sort?: DirectorySort; firstClass?: number } = {},
  limit = 24,
): Promise<Card[]> {
  const cards: Card[] = [];
  let after: string | undefined;
  do {
    const page = await device.call('GET /api/users', { query: { ...filters, limit, after } });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    cards.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return cards;
}

const count = async (device: Device, filters: DirectoryFilters = {}) =>
  (await device.call('GET /api/users/count', { query: filters })).count;

describe('GET /api/users', () => {
  test(
    'returns pages of 24 cards sorted by last name, with each person exactly once',
    { tags: ['spec-7.16'] },
    async () => {
      const all = await listAll(member.device);
      expect(all).toHaveLength(await count(member.device));
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      expect((await member.device.call('GET /api/users', { query: {} })).items).toHaveLength(24);
      for (const limit of [1, 7, 96]) expect(await listAll(member.device, {}, limit)).toEqual(all);
      const { rows } = await archive.pool.query<{ id: string; last_name: string; first_name: string }>(
        'select account_id as id, last_name, first_name from profiles',
      );
      const names = new Map(
        rows.map(({ id, last_name, first_name }) => [id, `${fold(last_name)} ${fold(first_name)}`]),
      );
      const order = all.map(({ id }) => names.get(id) ?? '');
      expect(order).toEqual(order.toSorted());
    },
  );

  test(
    'returns cards with the specified fields',
    {
      tags: [
        'spec-3.22',
        'spec-3.23',
        'spec-3.24',
        'spec-3.25',
        'spec-3.26',
        'spec-3.27',
        'spec-3.29',
        'spec-7.16',
        'asvs-15.3.1',
      ],
    },
    async () => {
      const person = await archive.createMember(
        { firstName: 'Ọládélé', middleName: 'Chidi', lastName: 'Abíọ́dún', yearGraduated: 2015 },
        { visibility: {} },
      );
      const staff = await archive.createMember();
      await archive.pool.query(`insert into staff_roles (account_id, role) values ($1, 'owner')`, [staff.uid]);
      const { department, matricNumber } = person.document.academic;
      const card = {
        id: person.uid,
        thumb: expect.stringMatching(/^\/media\/public-[\w-]{22}\/192\.webp$/u) as string,
        name: 'Ọládélé Chidi Abíọ́dún',
        department,
        schoolLabel: 'OUE',
        yearGraduated: 2015,
        label: 'Alum',
      };
      const cardFor = async (device: Device) =>
        (await listAll(device, { department, graduatedFrom: 2015, graduatedTo: 2015 })).find(
          ({ id }) => id === person.uid,
        );
      expect(await cardFor(archive.openDevice())).toEqual(card);
      for (const { device } of [member, staff])
        expect(await cardFor(device)).toEqual({ ...card, matricNumber: matricNumber.slice(0, 11) });
    },
  );

  test('returns the same second page even if a new person joins in the meantime', async () => {
    const before = await listAll(member.device);
    const first = await member.device.call('GET /api/users', { query: {} });
    await archive.createMember({ lastName: 'Aaaa' });
    const rest = await member.device.call('GET /api/users', { query: { after: first.next ?? '', limit: 96 } });
    expect(rest.items[0]).toEqual(before[24]);
  });

  test.each([
    'nonsense',
    'WyJhIl0',
    '',
    ...[
      '["a","b"]',
      '["a","------------------------------------"]',
      '["a",1]',
      '[1,"00000000-0000-4000-8000-000000000000"]',
      '{}',
      'null',
    ].map((text) => Buffer.from(text).toString('base64url')),
  ])('responds with 400 to the cursor %j', async (after) => {
    const response = await member.device.fetch('GET', `/api/users?after=${after}`);
    if (after === '') expect(response.statusCode).toBe(400);
    else expect(response.json()).toMatchObject({ status: 400, code: 'malformed-request' });
  });

  for (const [query, tags = []] of [
    ['limit=0', ['asvs-1.4.1', 'asvs-15.3.7']],
    ['limit=97'],
    ['limit=many'],
    ['graduatedFrom=soon'],
    ['department='],
    ['college=%00'],
    [`department=${'x'.repeat(200)}`],
  ] as [string, string[]?][])
    test(`responds with 400 and a problem to the query ${query}`, { tags }, async () => {
      const response = await member.device.fetch('GET', `/api/users?${query}`);
      expect(response.statusCode).toBe(400);
      expect(response.headers['content-type']).toBe('application/problem+json');
      expect(response.json()).toMatchObject({ code: 'malformed-request' });
    });

  test(
    'responds with Cache-Control: no-store, like all lists of people',
    { tags: ['spec-7.17', 'spec-7.18', 'asvs-14.2.2', 'asvs-14.3.2'] },
    async () => {
      const other = await archive.createMember();
      for (const device of [member.device, other.device, archive.openDevice()])
        for (const url of ['/api/users', '/api/users/count', '/api/users/facets', `/api/users/${member.uid}`]) {
          const { statusCode, headers } = await device.fetch('GET', url);
          expect([statusCode, headers['cache-control']], url).toEqual([200, 'no-store']);
        }
    },
  );
});

describe('GET /api/users in another order', () => {
  const idsOf = (cards: readonly Card[]) => cards.map(({ id }) => id);
  const list = (device: Device, sort: DirectorySort, filters: DirectoryFilters = {}, limit = 96) =>
    listAll(device, { ...filters, sort }, limit);

  test.each(directorySorts)(
    'lists each person once by %s, for members and guests, on pages of each size',
    async (sort) => {
      for (const device of [member.device, archive.openDevice()]) {
        const all = await list(device, sort);
        expect(idsOf(all).toSorted()).toEqual(idsOf(await list(device, 'name')).toSorted());
        for (const limit of [1, 7, 24]) expect(idsOf(await list(device, sort, {}, limit))).toEqual(idsOf(all));
        for (const filters of [
          { department: 'Computer Science' },
          { graduatedFrom: 2010, graduatedTo: 2016 },
          { college: 'COHUM' },
        ]) {
          const expected = new Set(idsOf(await list(device, 'name', filters)));
          const found = idsOf(await list(device, sort, filters, 1));
          expect(found.length).toBeGreaterThan(1);
          expect(found).toEqual(idsOf(all).filter((id) => expected.has(id)));
        }
      }
    },
  );

  test('lists the newest class first, and a class by name', async () => {
    const guest = archive.openDevice();
    const cards = await list(guest, 'class');
    const years = cards.map(({ yearGraduated }) => yearGraduated ?? 0);
    expect(years).toEqual(years.toSorted((one, other) => other - one));
    expect(years.at(-1), 'people without a visible year').toBe(0);
    const places = new Map(idsOf(await list(guest, 'name')).map((id, place) => [id, place]));
    for (const year of new Set(years)) {
      const inClass = cards
        .filter(({ yearGraduated = 0 }) => yearGraduated === year)
        .map(({ id }) => places.get(id) ?? 0);
      expect(inClass).toEqual(inClass.toSorted((one, other) => one - other));
    }
  });

  test('lists `firstClass` before the other classes, and each person once on pages of each size', async () => {
    for (const device of [member.device, archive.openDevice()]) {
      const all = await list(device, 'class');
      for (const firstClass of [2012, 1991]) {
        const isFirst = ({ yearGraduated }: Card) => yearGraduated === firstClass;
        const expected = idsOf([...all.filter(isFirst), ...all.filter((card) => !isFirst(card))]);
        for (const limit of [1, 7, 96])
          expect(idsOf(await listAll(device, { sort: 'class', firstClass }, limit))).toEqual(expected);
      }
      expect(all.some(({ yearGraduated }) => yearGraduated === 2012)).toBe(true);
      expect(all.some(({ yearGraduated }) => yearGraduated === 1991)).toBe(false);
    }
  });

  test('does not reveal a hidden year by the place in the list', { tags: ['asvs-8.2.3'] }, async () => {
    const hidden = [1999, 2020].map((yearGraduated) =>
      archive.createMember({ lastName: 'Hidden', yearGraduated }, { visibility: { yearGraduated: 'members' } }),
    );
    const [early, late] = (await Promise.all(hidden)).map(({ uid }) => uid);
    const guests = await list(archive.openDevice(), 'class');
    const withoutYear = guests.slice(guests.findIndex(({ yearGraduated }) => yearGraduated === undefined));
    expect(withoutYear.every((card) => !('yearGraduated' in card))).toBe(true);
    expect(idsOf(withoutYear)).toEqual(expect.arrayContaining([early, late]));
    const places = new Map(idsOf(await list(archive.openDevice(), 'name')).map((id, place) => [id, place]));
    const order = withoutYear.map(({ id }) => places.get(id) ?? 0);
    expect(order, 'by name, as if they had no year').toEqual(order.toSorted((one, other) => one - other));
    const members = idsOf(await list(member.device, 'class'));
    expect(members.indexOf(late ?? ''), 'members see the years').toBeLessThan(members.indexOf(early ?? ''));
  });

  test('lists people who joined within the last 24 hours after all others, the newest last', async () => {
    const department = 'Order Studies';
    const first = await archive.createMember({ department });
    await archive.advanceTime('2 hours');
    const second = await archive.createMember({ department, lastName: 'Aaaa' });
    const newest = async (filters: DirectoryFilters = {}) => {
      archive.context.listCache.clear();
      return idsOf(await list(archive.openDevice(), 'newest', filters, 24));
    };
    expect((await newest()).slice(-2)).toEqual([first.uid, second.uid]);
    expect(await newest({ department })).toEqual([first.uid, second.uid]);
    expect((await newest()).length).toBe(await count(archive.openDevice()));
    await archive.advanceTime('23 hours');
    expect((await newest())[0], 'after 25 hours').toBe(first.uid);
    expect(await newest({ department })).toEqual([first.uid, second.uid]);
    await archive.advanceTime('2 hours');
    expect((await newest()).slice(0, 2)).toEqual([second.uid, first.uid]);
    expect(await newest({ department })).toEqual([second.uid, first.uid]);
  });

  test('keeps the 24 hours of the first page, so that each person is listed once while time passes', async () => {
    const joined = await archive.createMember();
    await archive.advanceTime('23 hours');
    const guest = archive.openDevice();
    archive.context.listCache.clear();
    const page = await guest.call('GET /api/users', { query: { sort: 'newest', limit: 1 } });
    // Now the 24 hours of this person end, after the first page.
    await archive.pool.query(`update listings set listed_at = now() - interval '24 hours' where account_id = $1`, [
      joined.uid,
    ]);
    const rest: string[] = [];
    let after = page.next;
    while (after !== null) {
      const next = await guest.call('GET /api/users', { query: { sort: 'newest', limit: 24, after } });
      rest.push(...idsOf(next.items));
      after = next.next;
    }
    expect(rest.filter((id) => id === joined.uid)).toHaveLength(1);
    expect(rest.length + 1).toBe(await count(guest));
  });

  test('never lists new members first because of a changed cursor', async () => {
    const { uid } = await archive.createMember();
    const later = String(Date.now() * 1_000 + 3_600_000_000);
    const after = Buffer.from(JSON.stringify([later, later, 'ffffffff-ffff-4fff-bfff-ffffffffffff'])).toString(
      'base64url',
    );
    const { items } = await archive
      .openDevice()
      .call('GET /api/users', { query: { sort: 'newest', after, limit: 96 } });
    expect(idsOf(items)).not.toContain(uid);
  });

  test('responds with 400 to the cursor of another order', async () => {
    const cursors = await Promise.all(
      directorySorts.map(async (sort) => {
        const { next } = await member.device.call('GET /api/users', { query: { sort, limit: 1 } });
        return [sort, next ?? ''] as const;
      }),
    );
    for (const sort of directorySorts)
      for (const [sortOfCursor, after] of cursors) {
        const { statusCode } = await member.device.fetch('GET', `/api/users?sort=${sort}&after=${after}`);
        expect([sort, sortOfCursor, statusCode]).toEqual([sort, sortOfCursor, sort === sortOfCursor ? 200 : 400]);
      }
    expect((await member.device.fetch('GET', '/api/users?sort=oldest')).statusCode).toBe(400);
    const farYear = Buffer.from('[40000,"a","00000000-0000-4000-8000-000000000000"]').toString('base64url');
    expect((await member.device.fetch('GET', `/api/users?sort=class&after=${farYear}`)).statusCode).toBe(400);
  });
});

describe('the directory filters', () => {
  const filters: DirectoryFilters[] = [
    {},
    { department: 'Computer Science' },
    { college: 'COHUM' },
    { program: 'B.Ed' },
    { graduatedFrom: 2015 },
    { graduatedTo: 2015 },
    { graduatedFrom: 2010, graduatedTo: 2020 },
    { college: 'COSIT', program: 'B.Sc', graduatedFrom: 2000 },
    { department: 'Physics', college: 'COHUM' },
    { department: 'No such department' },
  ];

  test.each(filters)('count as many people as they list, for members and guests, with %j', async (filter) => {
    for (const device of [member.device, archive.openDevice()])
      expect(await count(device, filter)).toBe((await listAll(device, filter, 96)).length);
  });

  test('list exactly the people who match', async () => {
    const { rows } = await archive.pool.query<{ id: string }>(
      `select account_id as id from profiles where program = 'B.Ed' and year_graduated between 2010 and 2020 and coalesce(visibility->>'yearGraduated', 'everyone') <> 'me'`,
    );
    expect(rows.length).toBeGreaterThan(5);
    const found = await listAll(member.device, { program: 'B.Ed', graduatedFrom: 2010, graduatedTo: 2020 });
    expect(found.map(({ id }) => id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  });

  test('offer facets whose counts match the filtered lists', async () => {
    const filter = { program: 'B.Sc', graduatedFrom: 2000 };
    const facets = await member.device.call('GET /api/users/facets', { query: filter });
    expect(facets.departments.length).toBeGreaterThan(3);
    for (const { value, count: expected } of facets.departments)
      expect(await count(member.device, { ...filter, department: value })).toBe(expected);
    for (const { value, count: expected } of facets.colleges)
      expect(await count(member.device, { ...filter, college: value })).toBe(expected);
    for (const { value, count: expected } of facets.years) {
      expect(await count(member.device, { program: 'B.Sc', graduatedFrom: value, graduatedTo: value })).toBe(expected);
    }
    // The list of values of a field ignores the filter on that field.
    expect(facets.programs.map(({ value }) => value)).toEqual(['B.Ed', 'B.Sc']);
  });

  test('offer guests only configured departments and departments with at least three people', async () => {
    const department = 'Cheap Loans Here';
    const countDepartments = async () => {
      archive.context.listCache.clear();
      return (await archive.openDevice().call('GET /api/users/count', { query: {} })).departments;
    };
    const departmentsBefore = await countDepartments();
    const search = { q: 'Cheap Loans Here' };
    const offered = async (device: Device) => {
      archive.context.listCache.clear();
      const directory = await device.call('GET /api/users/facets', { query: {} });
      const found = await device.call('GET /api/search', { query: search });
      return [directory, found.facets].map((facets) => facets?.departments.some(({ value }) => value === department));
    };
    await archive.createMember({ department });
    await archive.createMember({ department });
    expect(await offered(archive.openDevice())).toEqual([false, false]);
    expect(await offered(member.device), 'members see all departments').toEqual([true, true]);
    expect(await count(archive.openDevice(), { department }), 'no person is hidden').toBe(2);
    expect(await countDepartments(), 'the number of departments counts all').toBe(departmentsBefore + 1);
    await archive.createMember({ department });
    expect(await offered(archive.openDevice())).toEqual([true, true]);
    await archive.createMember({ department: 'Computer Science' });
    const { departments } = await archive
      .openDevice()
      .call('GET /api/users/facets', { query: { graduatedFrom: 1990 } });
    expect(departments.map(({ value }) => value)).toContain('Computer Science');
  });

  test(
    'count correctly after a person joins, changes department or is deleted',
    { tags: ['spec-1.7', 'spec-2.2'] },
    async () => {
      const department = 'Counting Studies';
      const newMember = await archive.createMember({ department });
      expect(await count(member.device, { department })).toBe(1);
      const { imgURL } = await newMember.device.call('GET /api/users/{id}', {
        params: { id: newMember.uid },
        query: {},
      });
      const moved = {
        ...newMember.document,
        imgURL,
        academic: { ...newMember.document.academic, department: 'Elsewhere Studies' },
      };
      await newMember.device.call('PUT /api/users/{id}', { params: { id: newMember.uid }, body: moved });
      expect(await count(member.device, { department })).toBe(0);
      expect(await count(member.device, { department: 'Elsewhere Studies' })).toBe(1);
      const { departments } = await member.device.call('GET /api/users/facets', { query: {} });
      expect(departments.map(({ value }) => value)).not.toContain(department);
      await newMember.device.call('DELETE /api/identity/account');
      expect(await count(member.device, { department: 'Elsewhere Studies' })).toBe(0);
    },
  );

  test('keep exact counts without deadlocks during concurrent saves', async () => {
    const people = await Promise.all(Array.from({ length: 9 }, () => archive.createMember()));
    const departments = ['Ring One', 'Ring Two', 'Ring Three'];
    for (let round = 0; round < 4; round++) {
      await Promise.all(
        people.map(async ({ device, uid, document }, index) => {
          const department = departments[(index + round) % departments.length] ?? '';
          const body = { ...document, academic: { ...document.academic, department } };
          await device.call('PUT /api/users/{id}', { params: { id: uid }, body });
        }),
      );
    }
    for (const department of departments) expect(await count(member.device, { department })).toBe(3);
    // Some delete their account and some hide, at the same time as the others.
    await Promise.all(
      people.map(async ({ device, uid, document }, index) => {
        if (index % 3 === 0) {
          await device.call('DELETE /api/identity/account');
          return;
        }
        const name = index % 3 === 1 ? 'members' : 'everyone';
        const visibility: VisibilityChoices = { department: 'me', yearGraduated: 'members', name };
        await device.call('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, visibility } });
      }),
    );
    const { rows: wrong } = await archive.pool.query(
      `select * from (
         select audience, college, department, program, year_graduated, people from listing_counts
       ) as kept
       full join (
         select audience, coalesce(college, '') as college, coalesce(department, '') as department,
                coalesce(program, '') as program, coalesce(year_graduated, 0::smallint) as year_graduated, count(*) as people
         from listings group by 1, 2, 3, 4, 5
       ) as there using (audience, college, department, program, year_graduated)
       where kept.people is distinct from there.people`,
    );
    expect(wrong).toEqual([]);
  });

  test('remove the count of a department when its last person leaves, even during concurrent joins', async () => {
    const { rows: accounts } = await archive.pool.query<{ id: string }>(
      `insert into accounts (email, password_hash) select 'turn' || n || '@mail.example', '!' from generate_series(1, 6) as n
       returning id`,
    );
    const enter = (id: string) =>
      archive.pool.query(
        `insert into listings (audience, account_id, sort_name, name, department, search)
         values ('members', $1, 'x', 'X', 'Revolving Doors', '')`,
        [id],
      );
    await Promise.all(
      accounts.map(async ({ id }) => {
        for (let turn = 0; turn < 40; turn++) {
          await enter(id);
          await archive.pool.query('delete from listings where account_id = $1', [id]);
        }
      }),
    );
    const counted = async () =>
      (await archive.pool.query(`select people from listing_counts where department = 'Revolving Doors'`)).rows;
    expect(await counted()).toEqual([]);
    await Promise.all(accounts.map(({ id }) => enter(id)));
    expect(await counted()).toEqual([{ people: 6 }]);
    await archive.pool.query('delete from accounts where id = any($1)', [accounts.map(({ id }) => id)]);
    expect(await counted()).toEqual([]);
  });
});

test('the response cache shows a saved profile immediately on the same server, and within a second on another server', async () => {
  const other = await archive.startSecondServer();
  const department = 'Sharing Studies';
  const url = `/api/users?department=${encodeURIComponent(department)}`;
  const guest = archive.openDevice();
  const here = async () => (await guest.call('GET /api/users', { query: { department } })).items.length;
  const there = async () => (await other.inject(url)).json<{ items: unknown[] }>().items.length;
  expect([await here(), await there()]).toEqual([0, 0]);
  const newMember = await archive.createMember({ department });
  expect(await here()).toBe(1);
  await expect.poll(there, { interval: 20, timeout: 60_000 }).toBe(1);
  await newMember.device.call('DELETE /api/identity/account');
  expect(await here()).toBe(0);
  // The cache never serves the response of one audience to another one.
  expect((await member.device.fetch('GET', '/api/users')).body).not.toBe((await guest.fetch('GET', '/api/users')).body);
});

test('the response cache is cleared only by writes that change the lists', async () => {
  const clear = vi.spyOn(archive.context.listCache, 'clear');
  try {
    const saved = await archive.createMember();
    const afterSave = clear.mock.calls.length;
    expect(afterSave).toBeGreaterThan(0);
    const stranger = archive.openDevice();
    const body = { password: 'a long enough word', email: saved.email };
    const statuses = [
      await stranger.fetch('POST', '/api/identity/sign-out', undefined, { origin: 'https://evil.example' }),
      await stranger.fetch('POST', '/api/identity/sign-in', { ...body, password: 'a wrong password' }),
      await stranger.fetch('PUT', `/api/users/${saved.uid}`, saved.document),
      await stranger.fetch('POST', '/api/identity/password-status', body),
      await saved.device.fetch('PUT', `/api/users/${saved.uid}`, { ...saved.document, full: 'of mistakes' }),
      await saved.device.fetch('POST', '/api/notifications/read', {}),
    ].map(({ statusCode }) => statusCode);
    expect(statuses).toEqual([403, 401, 401, 200, 422, 204]);
    expect(clear.mock.calls).toHaveLength(afterSave);
    await saved.device.call('DELETE /api/identity/account');
    expect(clear.mock.calls).toHaveLength(afterSave + 1);
  } finally {
    clear.mockRestore();
  }
});

test(
  'the read replica serves only lists and searches, and the primary database serves them if it fails',
  { tags: ['asvs-16.5.2'] },
  async () => {
    const copy = await copyDatabase(inject('databases'));
    const replica = openDatabase(copy.connection, () => undefined);
    const failures: unknown[] = [];
    const app = await archive.startSecondServer(replica, (error) => failures.push(error));
    const device = new Device(app, '10.77.0.1');
    for (const [name, value] of member.device.cookies) device.cookies.set(name, value);
    // The copy is empty, so its lists are empty, but sessions still work.
    expect(await count(device)).toBe(0);
    expect((await device.call('GET /api/users', { query: {} })).items).toEqual([]);
    expect((await device.call('GET /api/search', { query: { q: 'ade' } })).items).toEqual([]);
    expect((await device.call('GET /api/identity/session')).user?.uid).toBe(member.uid);
    const one = { params: { id: member.uid }, query: {} };
    expect((await device.call('GET /api/users/{id}', one)).id).toBe(member.uid);
    // If the replica fails, the lists come from the primary database.
    await replica.close();
    await copy.drop();
    const all = await count(member.device);
    // Earlier responses stay cached for a moment.
    await expect.poll(() => count(device), { timeout: 60_000 }).toBe(all);
    expect(failures).toHaveLength(1);
    expect((await device.call('GET /api/users', { query: { limit: 7 } })).items).toHaveLength(7);
    expect(failures).toHaveLength(1);
    await app.close();
  },
);

describe('GET /api/users/welcome', () => {
  const welcome = (device = archive.openDevice()) => {
    archive.context.listCache.clear();
    return device.call('GET /api/users/welcome');
  };
  const setPicture = (uid: string, picture: string | null) =>
    archive.pool.query('update listings set picture = $2 where account_id = $1', [uid, picture]);

  test('omits people who joined within the last 24 hours', async () => {
    const { uid } = await archive.createMember();
    await setPicture(uid, '00000000-0000-4000-8000-000000000001');
    const faces = async () => (await welcome()).faces.map(({ id }) => id);
    expect(await faces()).not.toContain(uid);
    await archive.advanceTime('23 hours');
    expect(await faces()).not.toContain(uid);
    await archive.advanceTime('61 minutes');
    expect((await faces())[0]).toBe(uid);
  });

  test(
    'returns to members too only people, years and counts that everyone may see',
    { tags: ['spec-2.7', 'asvs-8.2.3'] },
    async () => {
      const open = await archive.createMember();
      const hidden = await archive.createMember({}, { visibility: { name: 'members' } });
      const year = 2003;
      const withoutYear = await archive.createMember(
        { yearAdmitted: 1999, yearGraduated: year },
        { visibility: { yearGraduated: 'members', picture: 'members' } },
      );
      for (const { uid } of [open, hidden, withoutYear]) await setPicture(uid, null);
      await archive.advanceTime('25 hours');
      const guest = await welcome();
      expect(await welcome(member.device)).toEqual(guest);
      const guests = await archive.openDevice().call('GET /api/users/count', { query: {} });
      expect(guest).toMatchObject({ members: guests.count, departments: guests.departments });
      expect(guest.years).toEqual((await archive.openDevice().call('GET /api/users/years', { query: {} })).years);
      expect(guest.faces.length).toBeLessThanOrEqual(15);
      expect(guest.faces.map(({ id }) => id)).not.toContain(hidden.uid);
      for (const face of guest.faces) expect(Object.keys(face).toSorted()).toEqual(['id', 'name', 'thumb']);
      const isPictured = guest.faces.map(({ thumb }) => thumb !== null);
      expect(isPictured).toEqual(isPictured.toSorted((one, other) => Number(other) - Number(one)));
    },
  );
});

describe('GET /api/institution', () => {
  test(
    'returns the description of the institution, with years up to the current one',
    { tags: ['spec-9.3', 'spec-9.4', 'spec-9.5'] },
    async () => {
      const facts = await archive.openDevice().call('GET /api/institution');
      expect(facts).toMatchObject({
        abbreviation: 'OUE',
        firstYear: 1990,
        lastYear: new Date().getUTCFullYear(),
        allowsIndexing: false,
        programs: ['B.Ed', 'B.Sc'],
      });
      expect(facts.colleges.map(({ code }) => code)).toEqual(['COSIT', 'COHUM', 'COSPED', 'COVTED']);
    },
  );
});
