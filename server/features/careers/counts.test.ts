import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { helpKinds, workFieldNames } from '#contract/career-values.ts';
import { audiences } from '#contract/visibility.ts';
import { suggestCities } from '#server/domain/careers/places.ts';
import { suspendAccount } from '#server/domain/staff/moderation.ts';
import { createRandom, type Random } from '#server/seed/random.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const toBody = (employer: string) => ({
  positions: employer === '' ? [] : [{ role: '', employer, field: null, from: null, to: null }],
  city: '',
  cityId: null,
  country: '',
  helps: [],
  version: 'any' as const,
});

const work = async ({ device, uid }: Member, employer: string) =>
  device.call('PUT /api/users/{id}/career', { params: { id: uid }, body: toBody(employer) });

const hide = async ({ device, uid }: Member, isHidden: boolean) =>
  device.call('PUT /api/users/{id}/privacy', { params: { id: uid }, body: { isHidden, version: 'any' } });

/** Returns the counts that differ from a recount, and the employers whose name no listing shows. */
async function findWrongCounts(): Promise<unknown[]> {
  const { rows: counts } = await archive.pool.query<object>(
    `select * from career_counts as kept full join (
       select audience, kind, value, count(*) as people from listings
       cross join lateral (values ('area', area_id::text), ('country', country), ('field', field)) as v (kind, value)
       where value is not null group by 1, 2, 3
     ) as there using (audience, kind, value) where kept.people is distinct from there.people`,
  );
  const { rows: employers } = await archive.pool.query<object>(
    `select * from employers as kept full join (
       select employer_key as key, count(*) as people, array_agg(employer) as names from listings
       where audience = 'members' and employer_key is not null group by 1
     ) as there using (key)
     where kept.people is distinct from there.people or kept.name <> all(names) or words <> people_words(name)`,
  );
  return [...counts, ...employers];
}

const findEmployer = async (key: string) =>
  (
    await archive.pool.query<{ name: string; people: number }>('select name, people from employers where key = $1', [
      key,
    ])
  ).rows;

const employers = ['GT Bank', 'GTBank Ltd', 'gtbank', 'Dangote', 'Shell'];
const cities = [...suggestCities('ik', 'NG'), ...suggestCities('acc', 'GH')].slice(0, 6);

const actions: readonly ((member: Member, random: Random) => Promise<unknown>)[] = [
  ({ device, uid }, random) => {
    const city = random.pick(cities);
    const employer = random.pick(employers);
    const position = { role: 'Clerk', employer, field: random.pick(workFieldNames), from: null, to: null };
    return device.call('PUT /api/users/{id}/career', {
      params: { id: uid },
      body: {
        positions: random.chance(0.8) ? [position] : [],
        ...(random.chance(0.7)
          ? { city: city.name, cityId: city.id, country: city.country }
          : { city: '', cityId: null, country: '' }),
        helps: [random.pick(helpKinds)],
        visibility: {
          city: random.pick(audiences),
          country: random.pick(audiences),
          positions: random.pick(audiences.filter((audience) => audience !== 'everyone')),
        },
        version: 'any',
      },
    });
  },
  (member, random) => hide(member, random.chance(0.5)),
  ({ device }, random) => device.call('PUT /api/contact/choices', { body: { takesMessages: random.chance(0.5) } }),
  ({ uid }, random) =>
    archive.pool.query('update listings set employer_key = $2 where account_id = $1 and employer is not null', [
      uid,
      random.pick(['gtbank', 'dangote', 'merged']),
    ]),
];

describe('counts of careers', () => {
  test('equal a recount after random saves, hides, merges and deletions at the same time', async () => {
    const members = await Promise.all(Array.from({ length: 8 }, () => archive.createMember()));
    await Promise.all(
      members.map(async (member, at) => {
        const random = createRandom(at);
        for (let turn = 0; turn < 40; turn++) await random.pick(actions)(member, random);
        if (at % 3 === 0) await member.device.call('DELETE /api/identity/account');
      }),
    );
    expect(await findWrongCounts()).toEqual([]);
    expect((await archive.pool.query('select from career_counts')).rowCount).toBeGreaterThan(0);
  });

  test('equal a recount after concurrent changes of all values, without a deadlock', async () => {
    const members = await Promise.all(Array.from({ length: 6 }, () => archive.createMember()));
    await Promise.all(
      members.map(async ({ uid }, at) => {
        const random = createRandom(at);
        const pick = () => random.pick(['a', 'b', 'c', 'd', 'e', 'f']);
        for (let turn = 0; turn < 60; turn++)
          await archive.pool.query(
            `update listings set area_id = ascii($2), country = $3, field = $4, employer = $5, employer_key = $5
             where account_id = $1`,
            [uid, pick(), pick(), pick(), pick()],
          );
      }),
    );
    expect(await findWrongCounts()).toEqual([]);
  });

  test('follow hiding, deletion and suspension at once', async () => {
    const member = await archive.createMember();
    await work(member, 'Hide and Seek');
    expect(await findEmployer('hideandseek')).toEqual([{ name: 'Hide and Seek', people: 1 }]);
    await hide(member, true);
    expect(await findEmployer('hideandseek')).toEqual([]);
    await hide(member, false);
    expect(await findEmployer('hideandseek')).toHaveLength(1);
    await member.device.call('DELETE /api/identity/account');
    expect(await findEmployer('hideandseek')).toEqual([]);
    const suspended = await archive.createMember();
    await work(suspended, 'Suspense');
    const owner = await createStaff(archive, 'owner');
    const refusal = await archive.context.db
      .transaction()
      .execute((tx) => suspendAccount(tx, suspended.uid, new Date(Date.now() + 9e8), { actor: owner.uid, text: '' }));
    expect([refusal, await findEmployer('suspense')]).toEqual([null, []]);
    expect(await findWrongCounts()).toEqual([]);
  });

  test('keep no spelling of an employer that no one shows any more', async () => {
    const [one, other] = [await archive.createMember(), await archive.createMember()];
    await work(one, 'Old Name Limited');
    await work(other, 'Old Name');
    expect(await findEmployer('oldname')).toEqual([{ name: 'Old Name Limited', people: 2 }]);
    await work(one, 'Elsewhere');
    expect(await findEmployer('oldname')).toEqual([{ name: 'Old Name', people: 1 }]);
    await work(other, 'OLD NAME');
    expect(await findEmployer('oldname')).toEqual([{ name: 'OLD NAME', people: 1 }]);
    await work(other, '');
    expect(await findEmployer('oldname')).toEqual([]);
  });

  test('keep no spelling that the last two people change at the same time', async () => {
    const [one, other] = [await archive.createMember(), await archive.createMember()];
    await work(one, 'Twin Plc');
    await work(other, 'Twin Plc');
    const connection = new pg.Client(archive.pool.options);
    await connection.connect();
    try {
      const rename = `update listings set employer = 'TWIN' where account_id = $1`;
      await connection.query('begin');
      await connection.query(rename, [one.uid]);
      let isDone = false;
      const second = archive.pool.query(rename, [other.uid]).then(() => (isDone = true));
      const countWaiting = async () =>
        (
          await archive.pool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount;
      await expect.poll(async () => isDone || (await countWaiting()) === 1).toBe(true);
      await connection.query('commit');
      await second;
    } finally {
      await connection.end();
    }
    expect(await findEmployer('twin')).toEqual([{ name: 'TWIN', people: 2 }]);
  });
});
