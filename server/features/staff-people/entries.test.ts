import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { PeopleFilter } from '#contract/staff/people.ts';
import { openDispute } from '#server/domain/membership/confirmations.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { toEntryWords } from '#server/domain/roster/name-words.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntry, addEntryOf, confirmMember, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let registrar: Member;
let dean: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  registrar = await createStaff(archive, 'registrar', {}, { college: 'COVTED' });
  dean = await createStaff(archive, 'registrar', { college: 'COSIT' });
});
afterAll(() => archive.close());

const search = async (query: PeopleFilter, { device }: Member = registrar) =>
  (await device.call('GET /api/staff/people', { query })).entries;
const idsOf = (entries: readonly { id: number }[]) => entries.map(({ id }) => id);
const fileOf = (id: number, { device }: Member = registrar) =>
  device.call('GET /api/staff/roster/entries/{id}', { params: { id } });
const link = (id: number, { uid: accountId }: Pick<Member, 'uid'>, { device }: Member = registrar) =>
  device.ask('POST /api/staff/roster/entries/{id}/link', { params: { id }, body: { accountId, seen: 'Certificate' } });
const statusOf = async ({ uid }: Member) =>
  (
    await archive.pool.query<{ status: string }>('select membership_status as status from accounts where id = $1', [
      uid,
    ])
  ).rows[0]?.status;
const profileOf = async ({ device, uid: id }: Member) =>
  (await device.call('GET /api/users/{id}', { params: { id }, query: {} })).academic;
async function decideDispute(id: string, outcome: 'keep' | 'transfer'): Promise<void> {
  const { device } = await createStaff(archive, 'registrar');
  const params = { kind: 'dispute', id } as const;
  const { item } = await device.call('GET /api/staff/queue/{kind}/{id}', { params });
  const body = { decision: { outcome }, version: item.version };
  await device.call('POST /api/staff/queue/{kind}/{id}/decision', { params, body });
  await archive.advanceTime('31 seconds');
  await archive.runJobs();
}
const entryOf = (lastName: string, firstName: string, values: object = {}) =>
  addEntry(archive, {
    last_name: lastName,
    first_name: firstName,
    words: toEntryWords({ lastName, firstName, otherNames: '' }),
    ...values,
  });

describe('GET /api/staff/people', () => {
  test('finds roster entries by names that sound alike and by matric number, the same names first', async () => {
    const chuku = await entryOf('Chuku', 'Obinna');
    const chukwu = await entryOf('Chukwu', 'Obinna', { matric_number: 'ZRA/10/0001' });
    await entryOf('Other', 'Person', { matric_number: 'ZRA/10/0002' });
    expect(idsOf(await search({ q: 'obinna CHUKWU' }))).toEqual([chukwu, chuku]);
    expect(idsOf(await search({ q: 'zra 10 0001' }))).toEqual([chukwu]);
    expect(await search({ q: 'obinna nobody' })).toEqual([]);
    expect(await search({})).toEqual([]);
    expect(await search({ q: 'obinna', state: 'confirmed' })).toEqual([]);
    expect(await search({ q: 'obinna', year: 1999 })).toEqual([]);
  });

  test('says whether an entry has an account, a printed code or a pending claim', async () => {
    const [holder, claimant] = [await archive.createMember(), await archive.createMember()];
    const held = await entryOf('Zabuqo', 'Held');
    await linkEntry(archive.context.db, held, holder.uid);
    await printCode(archive, await entryOf('Zabuqo', 'Printed'));
    await entryOf('Zabuqo', 'Wanted', { matric_number: 'ZAB/1' });
    await claimant.device.call('POST /api/membership/claims', { body: { matricNumber: 'zab 1', dob: '1990-01-02' } });
    expect(await search({ q: 'zabuqo' })).toMatchObject([
      { firstName: 'Held', hasAccount: true, codeCreatedAt: null, openClaims: 0 },
      { firstName: 'Printed', hasAccount: false, codeCreatedAt: expect.any(String), openClaims: 0 },
      { firstName: 'Wanted', hasAccount: false, codeCreatedAt: null, openClaims: 1 },
    ]);
  });

  test('shows entries only to staff who decide claims, in their scope', async () => {
    const [here, there] = [
      await entryOf('Qivolda', 'Here', { department: 'Computer Science' }),
      await entryOf('Qivolda', 'There', { department: 'English' }),
    ];
    await entryOf('Qivolda', 'Objected', { suppressed_at: new Date() });
    expect(idsOf(await search({ q: 'qivolda' }))).toEqual([here, there]);
    expect(idsOf(await search({ q: 'qivolda' }, dean))).toEqual([here]);
    expect(await search({ q: 'qivolda' }, await createStaff(archive, 'moderator'))).toEqual([]);
  });
});

describe('GET /api/staff/roster/entries/{id}', () => {
  test('has no birth date, address or phone number, and is recorded', async () => {
    const id = await entryOf('Vexatun', 'Ada', {
      birth_date: '1971-02-03',
      email: 'vexatun@roster.example',
      phone: '+234 805 111 2222',
      program: 'HND Vexology',
    });
    const file = await fileOf(id);
    expect(file).toMatchObject({ lastName: 'Vexatun', program: 'HND Vexology', canPrint: true, canCorrect: true });
    for (const value of ['1971', 'roster.example', '805']) expect(JSON.stringify(file)).not.toContain(value);
    await fileOf(id);
    const { rows } = await archive.pool.query(
      `select actor, subject from audit_records where action = 'entry-read' and subject = $1`,
      [String(id)],
    );
    expect(rows).toEqual([{ actor: registrar.uid, subject: String(id) }]);
  });

  test('offers accounts by number, address and name, and only in scope', async () => {
    const person = { firstName: 'Ada', lastName: 'Wumbral', department: 'Computer Science', college: 'COSIT' };
    const [byName, elsewhere, byNumber] = [
      await archive.createMember(person),
      await archive.createMember({ ...person, department: 'English', college: 'COHUM' }),
      await archive.createMember({ lastName: 'Other', matricNumber: 'WUM/1' }),
    ];
    const taken = await archive.createMember(person);
    await linkEntry(archive.context.db, await addEntry(archive), taken.uid);
    const id = await entryOf('Wumbral', 'Ada', { department: 'Computer Science', matric_number: 'wum 1' });
    const { candidates } = await fileOf(id);
    expect(candidates.map(({ id: uid }) => uid)).toEqual([byNumber.uid, taken.uid, elsewhere.uid, byName.uid]);
    expect(candidates.map(({ hasSameName }) => hasSameName)).toEqual([false, true, true, true]);
    expect(candidates.map(({ hasEntry }) => hasEntry)).toEqual([false, true, false, false]);
    expect(candidates.map(({ email }) => email)).toEqual(
      [byNumber, taken, elsewhere, byName].map(({ email }) => email),
    );
    await byName.device.call('PUT /api/users/{id}/privacy', {
      params: { id: byName.uid },
      body: { visibility: { email: 'me', department: 'me' }, isHidden: false, version: 'any' },
    });
    expect((await fileOf(id)).candidates.at(-1)).toMatchObject({ id: byName.uid, email: null, department: null });
    expect((await fileOf(id, dean)).candidates.map(({ id: uid }) => uid)).toContain(byName.uid);
    expect((await fileOf(id, dean)).candidates.map(({ id: uid }) => uid)).not.toContain(elsewhere.uid);
    expect(await fileOf(id, dean)).toMatchObject({ canPrint: false, canLink: true });
  });

  test('offers no code and no correction of a person who has died or is no longer on the roster', async () => {
    const dead = { canPrint: false, canCorrect: false };
    expect(await fileOf(await entryOf('Gone', 'Ada', { is_deceased: true }))).toMatchObject(dead);
    expect(await fileOf(await entryOf('Gone', 'Ada', { gone_since: 1 }))).toMatchObject(dead);
  });
});

describe('POST /api/staff/roster/entries/{id}/link', () => {
  test('confirms the account, decides its claim, and the history has who saw what', async () => {
    const person = await archive.createMember();
    const { matricNumber } = person.document.academic;
    await person.device.call('POST /api/membership/claims', { body: { matricNumber, dob: '1990-01-02' } });
    const id = await addEntryOf(archive, person, { year_graduated: 2013 });
    const { claims } = await fileOf(id);
    expect((await link(id, person)).statusCode).toBe(204);
    expect(await statusOf(person)).toBe('confirmed');
    expect(await fileOf(id)).toMatchObject({
      account: { id: person.uid },
      claims: [],
      canLink: false,
      canPrint: false,
    });
    const { rows } = await archive.pool.query(`select actor, action, details from audit_records where subject = $1`, [
      claims[0]?.id,
    ]);
    expect(rows).toEqual([
      { actor: registrar.uid, action: 'claim-confirmed', details: { outcome: 'confirmed', entry: id } },
    ]);
    const { events } = await registrar.device.call('GET /api/staff/people/{id}/membership-history', {
      params: { id: person.uid },
    });
    expect(events.find(({ kind }) => kind === 'evidence')).toMatchObject({
      evidence: 'staff-review',
      detail: 'Certificate',
    });
    expect(events.find(({ kind }) => kind === 'decision')).toMatchObject({ state: 'confirmed', decidedBy: 'staff' });
    const profile = await person.device.call('GET /api/users/{id}', {
      params: { id: person.uid },
      query: {},
    });
    expect(profile.academic.year.graduated).toBe(2013);
  });

  test('confirms an account that has not claimed, and a withdrawal takes it back', async () => {
    const person = await archive.createMember();
    const id = await addEntryOf(archive, person);
    expect((await link(id, person)).statusCode).toBe(204);
    const params = { id: person.uid };
    await registrar.device.call('POST /api/staff/people/{id}/confirmation-withdrawal', {
      params,
      body: { reason: 'A mistake.', isImpostor: false },
    });
    expect(await fileOf(id)).toMatchObject({ hasAccount: false, account: null });
  });

  test('refuses an entry that is taken, an entry of another person, a person in a dispute, and one the caller has vouched for', async () => {
    const [holder, other, vouched] = [
      await archive.createMember(),
      await archive.createMember(),
      await archive.createMember(),
    ];
    const [held, free] = [await addEntryOf(archive, holder), await addEntryOf(archive, other)];
    await link(held, holder);
    const refusal = async (id: number, member: Member) => (await link(id, member)).json<Problem>().detail;
    expect(await refusal(held, other)).toContain('is confirmed as this entry already');
    expect(await refusal(free, holder)).toContain('names or birth dates of both entries differ');
    await archive.pool.query(`insert into vouches (claimant_id, voucher_id, answer) values ($1, $2, 'yes')`, [
      vouched.uid,
      registrar.uid,
    ]);
    expect(await refusal(free, vouched)).toContain('You have vouched');
    await archive.context.db
      .transaction()
      .execute((tx) => openDispute(tx, { entryId: held, holderId: holder.uid, claimantId: other.uid }));
    expect(await refusal(free, other)).toContain('in a dispute');
    await archive.pool.query('update accounts set impostor_since = now() where id = $1', [vouched.uid]);
    await archive.pool.query('delete from vouches where claimant_id = $1', [vouched.uid]);
    expect(await refusal(free, vouched)).toContain('impostor');
    expect([await statusOf(other), await statusOf(vouched)]).toEqual(['unconfirmed', 'unconfirmed']);
    const { rowCount } = await archive.pool.query(`select from claims where account_id = $1`, [vouched.uid]);
    expect(rowCount).toBe(0);
  });

  test('links a second degree, which changes neither profile nor confirmation', async () => {
    const person = await archive.createMember({ firstName: 'Two', lastName: 'Degrees' });
    const first = await addEntryOf(archive, person, { program: 'ND' });
    const values = {
      matric_number: 'DEG/2',
      department: 'Physics',
      year_graduated: 2018,
      email: 'degree@roster.example',
    };
    const second = await addEntryOf(archive, person, { ...values, program: 'HND', phone: '+234 805 333 4444' });
    const otherDate = await addEntryOf(archive, person, { matric_number: 'DEG/3', birth_date: '1960-01-02' });
    await link(first, person);
    const before = await profileOf(person);
    expect((await link(otherDate, person)).json<Problem>().detail).toContain('birth dates of both entries differ');
    expect((await link(second, person)).statusCode).toBe(204);
    expect(await profileOf(person)).toEqual(before);
    const { rows } = await archive.pool.query(
      `select entry_id::int as entry from confirmed_identities where account_id = $1 and ended_at is null`,
      [person.uid],
    );
    expect(rows).toEqual([{ entry: first }]);
    const { membership } = await registrar.device.call('GET /api/staff/people/{id}', { params: { id: person.uid } });
    expect(idsOf(membership?.entries ?? [])).toEqual([first, second]);
    await archive.runJobs();
    expect(archive.inbox.to('degree@roster.example')).toHaveLength(1);

    // The person reads both entries, until the mailbox of one reports them.
    const readsPhone = async () => {
      const { rawPayload } = await person.device.ask('GET /api/users/{id}/export', { params: { id: person.uid } });
      return strFromU8(unzipSync(rawPayload)['membership.json'] ?? new Uint8Array()).includes('+234 805 333 4444');
    };
    expect(await readsPhone()).toBe(true);
    const dispute = await archive.context.db
      .transaction()
      .execute((tx) => openDispute(tx, { entryId: second, holderId: person.uid, claimantId: null }));
    expect(await readsPhone()).toBe(false);
    await decideDispute(dispute ?? '', 'keep');
    expect(await readsPhone()).toBe(true);
    expect(await profileOf(person)).toEqual(before);
  });

  test('takes a second degree alone, and all entries of a withdrawn confirmation, and only staff confirm them again', async () => {
    const person = await archive.createMember({ firstName: 'Two', lastName: 'Degrees' });
    const first = await addEntryOf(archive, person);
    const [second, third] = [
      await addEntryOf(archive, person, { matric_number: 'DEG/4' }),
      await addEntryOf(archive, person, { matric_number: 'DEG/5' }),
    ];
    for (const id of [first, second, third]) await link(id, person);
    const dispute = await archive.context.db
      .transaction()
      .execute((tx) => openDispute(tx, { entryId: second, holderId: person.uid, claimantId: null }));
    await decideDispute(dispute ?? '', 'transfer');
    const held = async () => {
      const files = await Promise.all([first, second, third].map((id) => fileOf(id)));
      return files.map(({ hasAccount }) => hasAccount);
    };
    expect([await held(), await statusOf(person)]).toEqual([[true, false, true], 'confirmed']);
    await registrar.device.call('POST /api/staff/people/{id}/confirmation-withdrawal', {
      params: { id: person.uid },
      body: { reason: 'A mistake.', isImpostor: false },
    });
    expect([await held(), await statusOf(person)]).toEqual([[false, false, false], 'rejected']);
    expect((await fileOf(third)).marks).toEqual(['contested']);
  });

  test('needs a recent password, and an entry and an account in scope', async () => {
    const inside = await archive.createMember({ college: 'COSIT', department: 'Computer Science' });
    const outside = await archive.createMember({ college: 'COHUM', department: 'English' });
    const [here, there] = [await addEntryOf(archive, inside), await addEntryOf(archive, outside)];
    const codeOf = async (id: number, member: Member) => (await link(id, member, dean)).json<Problem>().code;
    expect([await codeOf(here, outside), await codeOf(there, inside)]).toEqual(['not-found', 'not-found']);
    expect((await link(here, registrar)).json<Problem>().code).toBe('permission-denied');
    await archive.pool.query(`update sessions set authenticated_at = now() - interval '1 hour' where account_id = $1`, [
      dean.uid,
    ]);
    expect(await codeOf(here, inside)).toBe('auth/requires-recent-login');
    expect(await statusOf(inside)).toBe('unconfirmed');
    await confirmMember(archive, inside);
  });
});
