import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ProfileDocument } from '#contract/profile.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';

/* Saves that wait for a change by another process. Within a process, the writes of an account run one after another. */

let archive: TestArchive;
let otherProcess: pg.Client;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  otherProcess = new pg.Client(archive.pool.options);
  await otherProcess.connect();
  await archive.createMember({ firstName: 'Wordinuse', middleName: 'Wordinuse' });
});
afterAll(async () => {
  await otherProcess.end();
  await archive.close();
});

async function saveDuring(sql: string, { device, uid, document }: Member, changes: Partial<ProfileDocument>) {
  const { imgURL } = await device.call('GET /api/users/{id}', { params: { id: uid }, query: {} });
  await otherProcess.query('begin');
  await otherProcess.query('select from accounts where id = $1 for no key update', [uid]);
  const save = device.ask('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, imgURL, ...changes } });
  await expect.poll(countWaiting).toBe(1);
  await otherProcess.query(sql, [uid]);
  await otherProcess.query('commit');
  return save;
}

const countWaiting = async () => {
  const { rowCount } = await archive.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rowCount;
};

const findStored = async ({ uid }: Member) => {
  const { rows } = await archive.pool.query<Record<string, unknown>>(
    `select p.bio, p.first_name, p.visibility, p.version, l.name from profiles p
     left join listings l on l.account_id = p.account_id and l.audience = 'members' where p.account_id = $1`,
    [uid],
  );
  return rows[0];
};

describe.each([
  ['a field that lists do not show', { bio: 'Saved too late' }],
  ['a name with a new word', { name: { first: 'Latecomer', middle: 'Ade', last: 'Ojo' } }],
  ['a name with words in use', { name: { first: 'Wordinuse', middle: 'Wordinuse', last: 'Wordinuse' } }],
] as const)('a save of %s, waiting for another process,', (_, changes) => {
  test.each([
    ['ended the session', 'delete from sessions where account_id = $1'],
    ['disabled the account', 'update accounts set disabled_at = now() where id = $1'],
    ['requested the deletion', `update accounts set deletes_at = now() + interval '1 day' where id = $1`],
  ])(
    'returns 401 and changes nothing when that process has %s',
    { tags: ['asvs-7.4.1', 'asvs-7.4.2'] },
    async (_what, sql) => {
      const member = await archive.createMember();
      const before = await findStored(member);
      expect((await saveDuring(sql, member, { ...changes, version: 'any' })).statusCode).toBe(401);
      expect(await findStored(member)).toEqual(before);
    },
  );

  test('returns 409 and changes nothing when that process has saved the profile', async () => {
    const member = await archive.createMember();
    const before = await findStored(member);
    const save = await saveDuring(`update profiles set version = version + 1 where account_id = $1`, member, {
      ...changes,
      version: 1,
    });
    expect([save.statusCode, save.json()]).toMatchObject([409, { code: 'profile-changed' }]);
    expect(await findStored(member)).toEqual({ ...before, version: 2 });
  });

  test('keeps the visibility choices of that process when it overwrites any version', async () => {
    const member = await archive.createMember();
    const hideBio = `update profiles set version = version + 1, visibility = '{"bio": "me"}' where account_id = $1`;
    const save = await saveDuring(hideBio, member, { ...changes, version: 'any' });
    expect(save.json()).toMatchObject({ ...changes, version: 3 });
    expect(await findStored(member)).toMatchObject({ visibility: { bio: 'me' }, version: 3 });
  });

  test('does not list a person whom that process has hidden', async () => {
    const member = await archive.createMember();
    const hide = `with hidden as (update accounts set hidden_until_sign_in = 'unused' where id = $1)
      delete from listings where account_id = $1`;
    expect((await saveDuring(hide, member, { ...changes, version: 'any' })).json()).toMatchObject(changes);
    expect(await findStored(member)).toMatchObject({ name: null, version: 2 });
  });
});
