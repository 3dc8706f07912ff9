import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { PeopleFilter, PersonState } from '#contract/staff/people.ts';
import { searchWords } from '#server/domain/search/folding.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { passAuditTime, refuseAuditRecords } from '#server/testing/audit-records.ts';
import { confirmMember } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let registrar: Member;
let moderator: Member;
let owner: Member;
let dean: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  registrar = await createStaff(archive, 'registrar', {}, { college: 'COVTED' });
  moderator = await createStaff(archive, 'moderator');
  owner = await createStaff(archive, 'owner');
  dean = await createStaff(archive, 'registrar', { college: 'COSIT' });
});
afterAll(() => archive.close());

const search = async (query: PeopleFilter, { device }: Member = registrar) =>
  (await device.call('GET /api/staff/people', { query })).people;
const idsOf = (people: readonly { id: string }[]) => people.map(({ id }) => id);
const fileOf = (id: string, { device }: Member = registrar) =>
  device.call('GET /api/staff/people/{id}', { params: { id } });
const hide = ({ device, uid }: Member, visibility: object, isHidden = false) =>
  device.call('PUT /api/users/{id}/privacy', { params: { id: uid }, body: { visibility, isHidden, version: 'any' } });
const disclose = (id: string, body: object = { reason: 'asked-for-help' }, { device }: Member = registrar) =>
  device.fetch('POST', `/api/staff/people/${id}/disclosures`, body);
const typePassword = ({ device, password }: Member) =>
  device.call('POST /api/identity/reauthenticate', { body: { password } });
const records = async (subject: string) =>
  (
    await archive.pool.query<{ action: string; actor: string; details: object }>(
      `select action, actor, details from audit_records where subject = $1 and action <> 'person-file-read' order by id`,
      [subject],
    )
  ).rows;

describe('GET /api/staff/people', () => {
  test('finds people by words of the name, whatever their case and marks', async () => {
    const { uid } = await archive.createMember({ firstName: 'Ọlúwadárà', lastName: "Ni'Mbolekwa", middleName: 'Ɓaƙo' });
    for (const q of ['oluwad', 'NIMBOLEKWA', 'nimbo ọlu', 'bako nimb', "ni'mbolekwa olu"])
      expect([q, idsOf(await search({ q }))]).toEqual([q, [uid]]);
    expect(await search({ q: 'oluwad xyz' })).toEqual([]);
    // In the order of the rest of the console.
    expect(await search({ q: 'oluwad' })).toMatchObject([{ name: "Ni'Mbolekwa Ọlúwadárà Ɓaƙo" }]);
  });

  test('folds names as the search of members does', async () => {
    for (const name of [
      'Ọládélé',
      "O'Brien-Ẹ̀kọ́",
      'ŁUKASZ Ærø',
      'Straße',
      'İpek ısı',
      'Þórður œuvre',
      'Ŋɔɛ Ɗan',
      'A.B. (Zed)',
    ]) {
      const { rows } = await archive.pool.query<{ words: string[] }>(
        'select tsvector_to_array(people_words($1)) as words',
        [name],
      );
      expect([name, rows[0]?.words.toSorted()]).toEqual([name, [...new Set(searchWords(name))].toSorted()]);
    }
  });

  test('finds people by address and matric number, whole or from the beginning', async () => {
    const { uid, email, document } = await archive.createMember({ matricNumber: 'ZQX/21/4455' });
    expect(document.academic.matricNumber).toBe('ZQX/21/4455');
    for (const q of [email.toUpperCase(), email.slice(0, -4), 'zqx214455', 'ZQX/21/4', 'zqx/21'])
      expect([q, idsOf(await search({ q }))]).toEqual([q, [uid]]);
  });

  test('shows the address that members may see', async () => {
    const { email } = await archive.createMember();
    expect(await search({ q: email })).toMatchObject([{ email }]);
  });

  test('compares hidden values only as a whole, and does not show them', async () => {
    const hidden = await archive.createMember({
      matricNumber: 'ZQY/21/7788',
      otherNames: 'Kwentosh',
      department: 'Botany',
      yearAdmitted: 2010,
      yearGraduated: 2014,
    });
    await hide(hidden, { email: 'me', matricNumber: 'me', otherNames: 'me', department: 'me', yearGraduated: 'me' });
    for (const q of [hidden.email, 'zqy/21/7788'])
      expect(await search({ q })).toMatchObject([
        { id: hidden.uid, email: null, department: null, yearGraduated: null },
      ]);
    for (const q of [hidden.email.slice(0, -3), 'zqy/21', 'kwentosh'])
      expect([q, await search({ q })]).toEqual([q, []]);
    expect(idsOf(await search({ department: 'Botany', year: 2014 }))).toEqual([]);
    const [shown] = await search({ q: hidden.email });
    expect(Object.keys(shown ?? {}).toSorted()).toEqual([
      'createdAt',
      'department',
      'email',
      'id',
      'name',
      'states',
      'yearGraduated',
    ]);
  });

  test('finds people in every state', async () => {
    const unverified = await archive.signUp();
    const fresh = await archive.signUpVerified();
    const member = await archive.createMember();
    const expectState = async (id: string, state: PersonState) => {
      expect(idsOf(await search({ state })), state).toContain(id);
      expect((await fileOf(id)).states).toContain(state);
    };
    await expectState(unverified.uid, 'unverified');
    await expectState(fresh.uid, 'no-profile');
    await confirmMember(archive, member);
    await expectState(member.uid, 'confirmed');
    for (const [column, value, state] of [
      ['membership_status', 'disputed', 'disputed'],
      ['membership_status', 'rejected', 'rejected'],
      ['hidden_until_sign_in', 'unused', 'hidden'],
      ['disabled_at', '2026-01-01', 'suspended'],
      ['deletes_at', '2036-01-01', 'deletion-requested'],
    ] as const) {
      await archive.pool.query(`update accounts set ${column} = $2 where id = $1`, [member.uid, value]);
      await expectState(member.uid, state);
    }
    expect(idsOf(await search({ state: 'unconfirmed' }))).toEqual([]);
    await archive.pool.query(`update membership_mode set mode = 'confirmed'`);
    expect(idsOf(await search({ state: 'unconfirmed' }))).toContain(fresh.uid);
    await archive.pool.query(`update membership_mode set mode = 'open'`);
  });

  test('lists the newest account first, each person once over all pages', async () => {
    const { rows } = await archive.pool.query<{ id: string }>(
      `insert into accounts (email, password_hash, created_at)
       select 'page' || n || '@pages.example', '!', date_trunc('hour', now()) - (n / 3) * interval '1 second' from generate_series(1, 120) n returning id`,
    );
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const { people, next } = await registrar.device.call('GET /api/staff/people', {
        query: { state: 'no-profile', ...(after && { after }) },
      });
      ids.push(...idsOf(people));
      after = next ?? undefined;
    } while (after);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id } of rows) expect(ids).toContain(id);
    await archive.pool.query(`delete from accounts where email like '%@pages.example'`);
  });

  test('shows staff only people in their scope, and others nothing', async () => {
    const inside = await archive.createMember({ college: 'COSIT', lastName: 'Scopington' });
    const outside = await archive.createMember({ college: 'COVTED', lastName: 'Scopington' });
    const without = await archive.signUpVerified();
    expect(idsOf(await search({ q: 'scopington' }, dean))).toEqual([inside.uid]);
    expect(idsOf(await search({ q: 'scopington' })).toSorted()).toEqual([inside.uid, outside.uid].toSorted());
    expect(await search({ q: without.email }, dean)).toEqual([]);
    for (const { uid } of [outside, without]) {
      expect((await dean.device.fetch('GET', `/api/staff/people/${uid}`)).statusCode).toBe(404);
      expect((await disclose(uid, undefined, dean)).statusCode).toBe(404);
    }
    for (const path of ['/api/staff/people', `/api/staff/people/${inside.uid}`])
      expect((await inside.device.fetch('GET', path)).json<Problem>().code).toBe('permission-denied');
  });
});

describe('GET /api/staff/people/{id}', () => {
  test('shows what members see of the person, and nothing that the person hides', async () => {
    const person = await archive.createMember();
    await hide(person, { contactNumber: 'me', email: 'me' });
    const file = await fileOf(person.uid);
    expect(file.profile?.homeAddress).toBe(person.document.homeAddress);
    expect(file.profile?.dob).toBe(person.document.dob.slice(5));
    expect(file.hidden).toBe(null);
    expect(JSON.stringify(file)).not.toContain(person.email);
    expect(JSON.stringify(file)).not.toContain(person.document.contactNumber);
    await hide(person, {}, true);
    expect(await fileOf(person.uid)).toMatchObject({ profile: null, states: ['hidden'] });
  });

  test('shows each part only with its right', async () => {
    const { uid } = await archive.createMember();
    expect(await fileOf(uid)).toMatchObject({ membership: { entries: [] }, account: { sessions: 1 }, reports: null });
    expect(await fileOf(uid, moderator)).toMatchObject({ membership: null, account: null, reports: { open: 0 } });
    expect(await fileOf(uid, owner)).toMatchObject({ membership: {}, account: {}, reports: {} });
  });
});

describe('GET /api/staff/people/{id} in the audit log', () => {
  const reads = async (id: string) =>
    (
      await archive.pool.query<{ actor: string; details: object }>(
        `select actor, details from audit_records where subject = $1 and action = 'person-file-read' order by id`,
        [id],
      )
    ).rows;

  test('is one record for each member of staff within 15 minutes, without a name', async () => {
    const { uid } = await archive.createMember();
    await Promise.all([fileOf(uid), fileOf(uid), fileOf(uid)]);
    await fileOf(uid, moderator);
    const expected = [registrar, moderator].map((staff) => ({ actor: staff.uid, details: {} }));
    expect(await reads(uid)).toEqual(expected);
    await passAuditTime(archive, '16 minutes');
    await fileOf(uid);
    expect(await reads(uid)).toEqual([...expected, expected[0]]);
  });

  test('has no record of a file that was not found', async () => {
    const { uid } = await archive.createMember({ college: 'COHUM', department: 'English' });
    expect(await dean.device.code('GET /api/staff/people/{id}', { params: { id: uid } })).toBe('not-found');
    expect(await reads(uid)).toEqual([]);
  });

  test('must have the record, or the file is not shown', async () => {
    const { uid, document } = await archive.createMember();
    await refuseAuditRecords(archive, true);
    const response = await registrar.device.ask('GET /api/staff/people/{id}', { params: { id: uid } });
    await refuseAuditRecords(archive, false);
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain(document.name.last);
  });
});

test('GET /api/staff/people/{id} counts the report of a guest once it is confirmed', async () => {
  const { uid } = await archive.createMember();
  await archive.openDevice().call('POST /api/reports/{kind}/{id}', {
    params: { kind: 'profile', id: uid },
    body: { reason: 'offensive', email: 'guest@mail.example' },
  });
  expect((await fileOf(uid, moderator)).reports).toEqual({ open: 0, closed: 0 });
  await archive.pool.query('update reports set is_confirmed = true where subject_id = $1', [uid]);
  expect((await fileOf(uid, moderator)).reports).toEqual({ open: 1, closed: 0 });
});

describe('POST /api/staff/people/{id}/disclosures', () => {
  test('shows the hidden details for 15 minutes, to this member of staff only', async () => {
    const person = await archive.createMember();
    await hide(person, { contactNumber: 'me' }, true);
    expect((await disclose(person.uid, { reason: 'report' }, moderator)).statusCode).toBe(204);
    const { hidden } = await fileOf(person.uid, moderator);
    expect(hidden).toMatchObject({
      email: person.email,
      profile: { contactNumber: person.document.contactNumber, dob: person.document.dob },
    });
    expect((await fileOf(person.uid)).hidden).toBe(null);
    await archive.advanceTime('16 minutes');
    expect((await fileOf(person.uid, moderator)).hidden).toBe(null);
    for (const staff of [registrar, moderator, owner, dean]) await typePassword(staff);
  });

  test('requires a reason, text for another reason, and a recent password', async () => {
    const { uid } = await archive.createMember();
    for (const body of [{}, { reason: 'curious' }, { reason: 'other' }, { reason: 'other', text: ' ' }])
      expect((await disclose(uid, body)).statusCode).toBe(422);
    await archive.advanceTime('6 minutes');
    expect((await disclose(uid)).json<Problem>().code).toBe('auth/requires-recent-login');
    for (const staff of [registrar, moderator, owner, dean]) await typePassword(staff);
    expect((await disclose(uid)).statusCode).toBe(204);
  });

  test('is recorded in the audit log without the text, and the person reads when and why, but not who', async () => {
    const person = await archive.createMember();
    const text = 'Her employer asks whether she still lives here.';
    expect((await disclose(person.uid, { reason: 'other', text })).statusCode).toBe(204);
    expect(await records(person.uid)).toEqual([
      { action: 'person-viewed', actor: registrar.uid, details: { reason: 'other' } },
    ]);
    const { disclosures } = await person.device.call('GET /api/users/{id}/disclosures', { params: { id: person.uid } });
    expect(disclosures).toMatchObject([{ reason: 'other', text }]);
    expect(JSON.stringify(disclosures)).not.toContain(registrar.uid);
    const zip = await person.device.fetch('GET', `/api/users/${person.uid}/export`);
    expect(zip.rawPayload.includes('alumni-office.json')).toBe(true);
    expect((await registrar.device.fetch('GET', `/api/users/${person.uid}/disclosures`)).statusCode).toBe(403);
  });

  test('is refused for owners and for the own account', async () => {
    for (const [id, staff] of [
      [owner.uid, registrar],
      [registrar.uid, registrar],
      [owner.uid, owner],
    ] as const)
      expect((await disclose(id, undefined, staff)).json<Problem>().code).toBe('permission-denied');
    expect(await fileOf(owner.uid)).toMatchObject({ protection: 'owner', hidden: null });
    expect(await records(owner.uid)).toEqual([]);
  });
});
