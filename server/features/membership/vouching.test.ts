import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { Db } from '#server/db/client.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';
import { makeStaff } from '#server/testing/staff.ts';
import { withdrawEvidence } from '#server/domain/membership/confirmations.ts';
import { recordImpostor } from '#server/domain/membership/impostors.ts';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import { findRefusedVouches } from './vouch-queries.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

let departments = 0;

async function createClass(members = 3) {
  const department = `Department ${++departments}`;
  async function join(year = 2015, age: string | null = '8 days'): Promise<Member> {
    // Birth dates on 1 January agree with no entry.
    const study = { department, yearGraduated: year, yearAdmitted: 2010 };
    const member = await archive.createMember(study, { dob: '1992-05-17' });
    if (age !== null) await confirmMember(archive, member, { age });
    return member;
  }
  const vouchers = await Promise.all(Array.from({ length: members }, () => join()));
  return { vouchers, claimant: await join(2015, null), join };
}

const get = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index];
  if (item === undefined) throw new Error(`There is no item ${index}.`);
  return item;
};

async function vouch(voucher: Member, claimant: Member, text: 'yes' | 'unsure' | 'no' = 'yes'): Promise<number> {
  return (await answerLink(voucher, await createLink(claimant), text)).statusCode;
}

async function createLink({ device }: Member): Promise<string> {
  const { url } = await device.call('POST /api/membership/vouch-link');
  expect(url).toMatch(/^http:\/\/localhost:3000\/vouch\/[\w-]{43}$/u);
  return url.split('/').at(-1) ?? '';
}

const statusOf = async ({ device }: Member) => (await device.call('GET /api/membership')).status;
const vouchingOf = async ({ device }: Member) => (await device.call('GET /api/membership')).vouching;
const openLink = async ({ device }: Member, code: string) =>
  device.call('GET /api/membership/vouch-links/{code}', { params: { code } });
async function answerLink(voucher: Member, code: string, text: 'yes' | 'unsure' | 'no' = 'yes') {
  const { version } = await openLink(voucher, code).catch(() => ({ version: 'none' }));
  return voucher.device.ask('PUT /api/membership/vouch-links/{code}', {
    params: { code },
    body: { answer: text, version },
  });
}
const transact = <Result>(work: (tx: Db) => Promise<Result>): Promise<Result> =>
  archive.context.db.transaction().execute(work);

test('the second vouch by members of the class confirms the claimant', async () => {
  const { vouchers, claimant } = await createClass();
  const [ada, ben] = [get(vouchers, 0), get(vouchers, 1)];
  expect(await vouchingOf(claimant)).toEqual({ isAvailable: true, linkExpiresAt: null, received: 0 });
  expect(await vouch(ada, claimant)).toBe(204);
  expect(await vouchingOf(claimant)).toMatchObject({ received: 1 });
  expect(await statusOf(claimant)).toBe('unconfirmed');
  expect((await answerLink(ben, await createLink(claimant))).statusCode).toBe(204);
  const membership = await claimant.device.call('GET /api/membership');
  expect(membership).toMatchObject({
    status: 'confirmed',
    evidence: [{ kind: 'peer-vouch', assurance: 'moderate' }],
    claim: { state: 'confirmed' },
  });
});

test.each([
  ['name', ({ name }: Member['document']) => ({ name: { ...name, middle: 'Ifeoma' } })],
  ['year', ({ academic }) => ({ academic: { ...academic, year: { ...academic.year, graduated: 2016 } } })],
  ['department', ({ academic }) => ({ academic: { ...academic, department: 'Philosophy' } })],
] satisfies [string, (document: Member['document']) => object][])(
  'an answer about an earlier %s of the claimant is refused',
  async (_, change) => {
    const { vouchers, claimant } = await createClass();
    const [ada, ben] = [get(vouchers, 0), get(vouchers, 1)];
    const code = await createLink(claimant);
    const { version } = await openLink(ben, code);
    await claimant.device.call('PUT /api/users/{id}', {
      params: { id: claimant.uid },
      body: { ...claimant.document, ...change(claimant.document), version: 'any' },
    });
    // Both are members of the new class too, so that only the version differs.
    await archive.pool.query(
      `update profiles set (department, year_graduated) = (select department, year_graduated from profiles where account_id = $1)
       where account_id = any($2)`,
      [claimant.uid, [ada.uid, ben.uid]],
    );
    for (const text of ['yes', 'unsure', 'no'] as const) {
      const body = { answer: text, version };
      expect(
        await ben.device.problem('PUT /api/membership/vouch-links/{code}', { params: { code }, body }),
      ).toMatchObject({
        status: 409,
        code: 'profile-changed',
        detail: 'The name or class has changed since you opened this page. Please look again.',
      });
    }
    expect((await answerLink(ben, code)).statusCode).toBe(204);
    expect(await vouchingOf(claimant)).toMatchObject({ received: 1 });
  },
);

test('the first “yes” of a member is mailed to the claimant without a name, and no other answer', async () => {
  const { vouchers, claimant } = await createClass();
  const [ada, ben] = [get(vouchers, 0), get(vouchers, 1)];
  const mails = () => archive.inbox.to(claimant.email).filter(({ subject }) => subject.includes('vouched'));
  for (const answer of ['unsure', 'no'] as const) await vouch(ben, claimant, answer);
  await archive.runJobs();
  expect(mails()).toEqual([]);
  for (const answer of ['yes', 'no', 'yes'] as const) await vouch(ada, claimant, answer);
  await archive.runJobs();
  expect(mails()).toHaveLength(1);
  expect(mails()[0]?.text).toContain('1 of 2 members have said that they know you.');
  for (const name of [ada.document.name.first, ada.document.name.last, ada.email])
    expect(mails()[0]?.text).not.toContain(name);
});

test('an answer stays valid when the claimant changes something else in the profile', async () => {
  const { vouchers, claimant } = await createClass();
  const ada = get(vouchers, 0);
  const code = await createLink(claimant);
  const { version } = await openLink(ada, code);
  const body = { ...claimant.document, version: 'any' as const, bio: 'Another text.' };
  await claimant.device.call('PUT /api/users/{id}', { params: { id: claimant.uid }, body });
  const input = { params: { code }, body: { answer: 'yes' as const, version } };
  expect((await ada.device.ask('PUT /api/membership/vouch-links/{code}', input)).statusCode).toBe(204);
});

test('a link shows the member the name, the picture and the class of the claimant, and nothing else', async () => {
  const { vouchers, claimant } = await createClass();
  const ada = get(vouchers, 0);
  const { first, middle, last } = claimant.document.name;
  const name = [first, middle, last].filter(Boolean).join(' ');
  const version: unknown = expect.stringMatching(/^[\w-]{43}$/u);
  const department = `Department ${departments}`;
  const shown = {
    name,
    thumb: expect.stringMatching(/^\/media\/.+\/192\.webp$/u) as unknown,
    firstName: first,
    accountCreatedAt: expect.any(String) as unknown,
    department,
    yearGraduated: 2015,
    version,
    answer: null,
    isRepresentative: false,
    refusal: null,
  };
  expect(await openLink(ada, await createLink(claimant))).toEqual(shown);
  expect(await ada.device.code('GET /api/users/{id}', { params: { id: claimant.uid }, query: {} })).toBe('not-found');
});

test('a link shows no picture that members may not see, and none to a member who may not answer', async () => {
  const { vouchers, claimant, join } = await createClass();
  const [ada, tooNew] = [get(vouchers, 0), await join(2015, '1 day')];
  const code = await createLink(claimant);
  expect(await openLink(tooNew, code)).toMatchObject({ refusal: 'too-new', thumb: null });
  expect(await openLink(claimant, code)).toMatchObject({ refusal: 'own', thumb: null });
  for (const visibility of [{ picture: 'me' }, { name: 'me' }]) {
    await archive.pool.query('update profiles set visibility = $1 where account_id = $2', [visibility, claimant.uid]);
    expect(await openLink(ada, code)).toMatchObject({ refusal: null, thumb: null });
  }
});

test('“unsure” and “no” have no effect on other answers, do not count as a vouch, and are shown to staff', async () => {
  const { vouchers, claimant, join } = await createClass();
  const [ada, ben, eve] = [get(vouchers, 0), get(vouchers, 1), get(vouchers, 2)];
  const dan = await join();
  await vouch(ada, claimant, 'no');
  await vouch(ben, claimant, 'unsure');
  await vouch(eve, claimant);
  expect(await statusOf(claimant)).toBe('unconfirmed');
  expect(await vouchingOf(claimant)).toMatchObject({ received: 1 });
  await vouch(dan, claimant);
  expect(await statusOf(claimant)).toBe('confirmed');
  const refused = await findRefusedVouches(archive.context.db);
  expect(refused.filter(({ claimantEmail }) => claimantEmail === claimant.email)).toMatchObject([
    { status: 'confirmed', voucherEmail: ada.email, yes: 2, no: 1 },
  ]);
});

test('a member can change their answer until the claimant is confirmed', async () => {
  const { vouchers, claimant } = await createClass();
  const [ada, ben, eve] = [get(vouchers, 0), get(vouchers, 1), get(vouchers, 2)];
  await vouch(ada, claimant);
  await vouch(ada, claimant, 'no');
  await vouch(ben, claimant);
  expect(await statusOf(claimant)).toBe('unconfirmed');
  const link = await createLink(claimant);
  expect(await openLink(ada, link)).toMatchObject({ answer: 'no' });
  await answerLink(eve, link);
  expect(await statusOf(claimant)).toBe('confirmed');
  expect((await answerLink(ben, link, 'no')).statusCode).toBe(403);
  expect(await openLink(ada, link)).toMatchObject({ refusal: 'decided' });
});

test.each([
  ['not-confirmed', { kind: 'peer-vouch', age: '8 days' }],
  ['too-new', { kind: 'printed-code', age: '6 days' }],
] as const)('a member confirmed otherwise is refused: %s', async (refusal, evidence) => {
  const { claimant, join } = await createClass();
  const member = await join(2015, null);
  await confirmMember(archive, member, evidence);
  const link = await createLink(claimant);
  expect((await answerLink(member, link)).statusCode).toBe(403);
  expect(await openLink(member, link)).toMatchObject({ refusal, answer: null });
});

test('a member with other evidence is too new until that evidence is seven days old', async () => {
  const { claimant, join } = await createClass();
  const member = await join(2015, null);
  await confirmMember(archive, member, { kind: 'peer-vouch', age: '30 days' });
  await archive.pool.query(`insert into evidence (account_id, kind, assurance) values ($1, 'printed-code', 'strong')`, [
    member.uid,
  ]);
  expect(await openLink(member, await createLink(claimant))).toMatchObject({ refusal: 'too-new' });
});

test('a vouch no longer counts when the voucher loses all evidence except vouches', async () => {
  const { vouchers, claimant } = await createClass(4);
  const [ada, ben, eve] = [get(vouchers, 0), get(vouchers, 1), get(vouchers, 2)];
  await vouch(ada, claimant);
  const { rows } = await archive.pool.query<{ id: string }>('select id from evidence where account_id = $1', [ada.uid]);
  await archive.pool.query(
    `insert into evidence (account_id, kind, assurance, created_at)
     values ($1, 'peer-vouch', 'moderate', now() - interval '30 days')`,
    [ada.uid],
  );
  const evidenceIds = rows.map(({ id }) => id);
  expect(await transact((tx) => withdrawEvidence(tx, ada.uid, evidenceIds))).toBe(true);
  expect(await statusOf(ada)).toBe('confirmed');
  expect(await vouchingOf(claimant)).toMatchObject({ received: 0 });
  await vouch(ben, claimant);
  expect(await statusOf(claimant)).toBe('unconfirmed');
  await vouch(eve, claimant);
  expect(await statusOf(claimant)).toBe('confirmed');
});

test('members of the department vouch up to one year from their own', async () => {
  const { claimant, join } = await createClass();
  const [near, far] = [await join(2016), await join(2017)];
  expect(await vouch(near, claimant)).toBe(204);
  const link = await createLink(claimant);
  expect(await openLink(far, link)).toMatchObject({ refusal: 'other-class' });
  expect((await answerLink(far, link)).statusCode).toBe(403);
  const stranger = get((await createClass()).vouchers, 0);
  expect(await openLink(stranger, link)).toMatchObject({ refusal: 'other-class' });
});

test('a member vouches for five people in 30 days', async () => {
  const { vouchers, claimant, join } = await createClass();
  const ada = get(vouchers, 0);
  const people = await Promise.all(Array.from({ length: 5 }, () => join(2015, null)));
  for (const person of people) expect(await vouch(ada, person)).toBe(204);
  // Answering about the same person again does not count, and who has left still does.
  expect(await vouch(ada, get(people, 4))).toBe(204);
  await get(people, 0).device.call('DELETE /api/identity/account');
  const link = await createLink(claimant);
  expect((await answerLink(ada, link)).statusCode).toBe(403);
  expect(await openLink(ada, link)).toMatchObject({ refusal: 'limit' });
  await archive.pool.query(`update long_throttles set window_ends = now() where key like 'vouchesByAccount:%'`);
  expect((await answerLink(ada, link)).statusCode).toBe(204);
});

test('vouching is available from the third member of the class who can vouch', async () => {
  const { claimant, join } = await createClass(2);
  await join(2015, '6 days');
  expect(await vouchingOf(claimant)).toMatchObject({ isAvailable: false });
  expect(await claimant.device.code('POST /api/membership/vouch-link')).toBe('permission-denied');
  await join(2014);
  expect(await vouchingOf(claimant)).toMatchObject({ isAvailable: true });
  await createLink(claimant);
});

const makeRepresentative = (member: Member) =>
  makeStaff(archive, member, 'class-representative', {
    department: member.document.academic.department,
    yearFrom: 2014,
    yearTo: 2017,
  });

test('a class representative with a second factor confirms people of the class alone, beyond the limit', async () => {
  const { vouchers, claimant, join } = await createClass();
  const representative = get(vouchers, 0);
  await makeRepresentative(representative);
  expect(await vouch(representative, claimant)).toBe(204);
  expect(await statusOf(claimant)).toBe('confirmed');
  for (const year of [2014, 2014, 2015, 2015, 2016, 2016]) {
    const other = await join(year, null);
    expect(await vouch(representative, other)).toBe(204);
    expect(await statusOf(other)).toBe('confirmed');
  }
  const late = await join(2015, null);
  await archive.pool.query('delete from authenticators where account_id = $1', [representative.uid]);
  expect(await vouch(representative, late)).toBe(403);
  await archive.pool.query('delete from staff_roles');
  expect(await statusOf(late)).toBe('unconfirmed');
});

test('a class representative confirms alone only with a password of the last 12 hours, with one audit record', async () => {
  const { vouchers, claimant } = await createClass();
  const representative = get(vouchers, 0);
  await makeRepresentative(representative);
  const enterPassword = (age: string) =>
    archive.pool.query('update sessions set authenticated_at = now() - $2::interval where account_id = $1', [
      representative.uid,
      age,
    ]);
  const findRecords = async () =>
    (
      await archive.pool.query(
        `select r.action, c.account_id as about, r.details from audit_records r
         left join claims c on r.subject_kind = 'claim' and c.id::text = r.subject where r.actor = $1`,
        [representative.uid],
      )
    ).rows;
  const code = await createLink(claimant);
  await enterPassword('13 hours');
  expect((await answerLink(representative, code)).json<Problem>().code).toBe('auth/requires-recent-login');
  expect(await vouchingOf(claimant)).toMatchObject({ received: 0 });
  // The other answers decide nothing.
  expect((await answerLink(representative, code, 'unsure')).statusCode).toBe(204);
  expect(await findRecords()).toEqual([]);
  expect(await openLink(representative, code)).toMatchObject({ isRepresentative: true, refusal: null });
  await enterPassword('11 hours');
  expect((await answerLink(representative, code)).statusCode).toBe(204);
  expect(await statusOf(claimant)).toBe('confirmed');
  const details = { outcome: 'confirmed', evidence: 'peer-vouch' };
  expect(await findRecords()).toEqual([{ action: 'claim-confirmed', about: claimant.uid, details }]);
});

test('an earlier vouch of a member who is the class representative now counts as one of two', async () => {
  const { vouchers, claimant } = await createClass();
  const representative = get(vouchers, 0);
  await vouch(representative, claimant);
  await makeRepresentative(representative);
  expect(await vouchingOf(claimant)).toMatchObject({ received: 1 });
});

test('a link expires after 14 days, and a new link replaces the old one', async () => {
  const { vouchers, claimant } = await createClass();
  const ada = get(vouchers, 0);
  const first = await createLink(claimant);
  const second = await createLink(claimant);
  const { rows } = await archive.pool.query<{ stored: string }>(
    `select encode(code_hash, 'hex') as stored from vouch_links where account_id = $1`,
    [claimant.uid],
  );
  expect(rows.map(({ stored }) => stored)).toEqual([expect.not.stringContaining(second)]);
  expect(await ada.device.code('GET /api/membership/vouch-links/{code}', { params: { code: first } })).toBe(
    'not-found',
  );
  expect(await openLink(ada, second)).toMatchObject({ refusal: null });
  await archive.pool.query(`update vouch_links set expires_at = expires_at - interval '14 days'`);
  expect(await ada.device.code('GET /api/membership/vouch-links/{code}', { params: { code: second } })).toBe(
    'not-found',
  );
  expect((await answerLink(ada, second)).statusCode).toBe(404);
  expect(await vouchingOf(claimant)).toMatchObject({ linkExpiresAt: null });
});

test('people cannot vouch for themselves, nor with a second account of the same roster entry', async () => {
  const { vouchers, claimant } = await createClass();
  const ada = get(vouchers, 0);
  const link = await createLink(claimant);
  expect(await openLink(claimant, link)).toMatchObject({ refusal: 'own' });
  expect((await answerLink(claimant, link)).statusCode).toBe(403);
  await linkToNewEntry(ada, claimant.document.academic.matricNumber.replaceAll('/', ' - '));
  expect(await openLink(ada, link)).toMatchObject({ refusal: 'own' });
  expect((await answerLink(ada, link)).statusCode).toBe(403);
});

async function linkToNewEntry({ uid }: Member, matricNumber: string): Promise<void> {
  await archive.pool.query(
    `with entry as (
       insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import)
       values (upper(regexp_replace($2, '[^[:alnum:]]', '', 'g')), $2, 'Doe', 'Jo', '{}', 1, 1) returning id)
     insert into roster_links (entry_id, account_id) select id, $1 from entry`,
    [uid, matricNumber],
  );
}

test('a block by either person hides the claimant without revealing the block', async () => {
  const { vouchers, claimant } = await createClass();
  const [ada, ben] = [get(vouchers, 0), get(vouchers, 1)];
  const link = await createLink(claimant);
  await archive.pool.query('insert into blocks (account_id, blocked_id) values ($1, $2), ($2, $3)', [
    ada.uid,
    claimant.uid,
    ben.uid,
  ]);
  for (const blocked of [ada, ben]) expect((await answerLink(blocked, link)).statusCode).toBe(404);
});

test('a link reveals nothing to unconfirmed people and guests, who cannot answer', async () => {
  const { claimant, join } = await createClass();
  const other = await join(2015, null);
  const link = await createLink(claimant);
  for (const code of [link, 'wrong']) {
    expect(await other.device.code('GET /api/membership/vouch-links/{code}', { params: { code } })).toBe(
      'permission-denied',
    );
    expect(await archive.openDevice().code('GET /api/membership/vouch-links/{code}', { params: { code } })).toBe(
      'auth/unauthenticated',
    );
  }
  expect((await answerLink(other, link)).statusCode).toBe(403);
  expect(await statusOf(claimant)).toBe('unconfirmed');
});

test('only unconfirmed people ask for vouches', async () => {
  const { vouchers, claimant } = await createClass();
  expect(await get(vouchers, 0).device.code('POST /api/membership/vouch-link')).toBe('permission-denied');
  for (const status of ['disputed', 'rejected'] as const) {
    await transact((tx) => setMembershipStatus(tx, claimant.uid, status));
    expect(await claimant.device.code('POST /api/membership/vouch-link')).toBe('permission-denied');
  }
});

test('two parallel second vouches confirm once', async () => {
  const { vouchers, claimant, join } = await createClass(6);
  await vouch(get(vouchers, 0), claimant);
  const code = await createLink(claimant);
  const statuses = await Promise.all(
    vouchers.slice(1).map(async (voucher) => (await answerLink(voucher, code)).statusCode),
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 403, 403, 403, 403]);
  const { rows } = await archive.pool.query('select from evidence where account_id = $1', [claimant.uid]);
  expect(rows).toHaveLength(1);
  // Parallel answers of many members about each other do not deadlock.
  const claimants = await Promise.all(Array.from({ length: 3 }, () => join(2015, null)));
  const codes = await Promise.all(claimants.map(createLink));
  const answers = await Promise.all(
    codes.flatMap((each) => vouchers.slice(0, 3).map((voucher) => answerLink(voucher, each, 'unsure'))),
  );
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([204]));
});

test('recordImpostor suspends the vouchers for 180 days and reopens confirmations by their vouches alone', async () => {
  const { vouchers, claimant: impostor, join } = await createClass(4);
  const [ada, ben, eve, dan] = [get(vouchers, 0), get(vouchers, 1), get(vouchers, 2), get(vouchers, 3)];
  const [byAda, byOthers, withMore, pending, later] = await Promise.all(
    Array.from({ length: 5 }, () => join(2015, null)),
  );
  if (!byAda || !byOthers || !withMore || !pending || !later) throw new Error('A person is missing.');
  for (const voucher of [ada, ben]) await vouch(voucher, impostor);
  for (const voucher of [ada, eve]) await vouch(voucher, byAda);
  for (const voucher of [eve, dan]) await vouch(voucher, byOthers);
  for (const voucher of [ada, eve]) await vouch(voucher, withMore);
  await vouch(ada, pending);
  await confirmMember(archive, withMore);
  expect(await transact((tx) => recordImpostor(tx, impostor.uid, null))).toEqual({ suspended: 2, reopened: 1 });
  const { rows } = await archive.pool.query(
    'select vouching_suspended_until > now() as "isSuspended" from accounts where id = $1',
    [impostor.uid],
  );
  expect(rows).toEqual([{ isSuspended: true }]);

  expect(await byAda.device.call('GET /api/membership')).toMatchObject({ status: 'unconfirmed', isWaiting: true });
  await archive.runJobs();
  const subject = 'Your membership is being checked';
  const mail = await archive.inbox.next(byAda.email, subject);
  expect(mail.text).toContain('so the alumni office has to check your membership');
  for (const { document } of [impostor, ada, eve]) expect(mail.text).not.toContain(document.name.last);
  const { notifications } = await byAda.device.call('GET /api/notifications', { query: {} });
  expect(notifications.map(({ kind }) => kind)).toContain('membership-disputed');
  for (const { email } of [byOthers, withMore, pending, ada, ben])
    expect(archive.inbox.to(email).map((one) => one.subject)).not.toContain(subject);
  expect(await statusOf(byOthers)).toBe('confirmed');
  expect(await statusOf(withMore)).toBe('confirmed');
  expect(await vouchingOf(pending)).toMatchObject({ received: 0, isAvailable: false });
  const another = await join();
  await join();
  await vouch(another, pending);
  expect(await statusOf(pending)).toBe('unconfirmed');
  const link = await createLink(later);
  expect((await answerLink(ben, link)).statusCode).toBe(403);
  expect(await openLink(ben, link)).toMatchObject({ refusal: 'suspended' });
  await archive.pool.query(
    `update accounts set vouching_suspended_until = vouching_suspended_until - interval '180 days'`,
  );
  expect((await answerLink(ben, link)).statusCode).toBe(204);
});

async function codesOfAll({ device }: Member): Promise<string[]> {
  const body = { answer: 'yes', version: 'any' } as const;
  return [
    await device.code('POST /api/membership/vouch-link'),
    await device.code('GET /api/membership/vouch-links/{code}', { params: { code: 'x' } }),
    await device.code('PUT /api/membership/vouch-links/{code}', { params: { code: 'x' }, body }),
  ];
}

test('all endpoints respond with “not-found” in the mode open, and where vouches are not accepted', async () => {
  const { vouchers } = await createClass();
  const member = get(vouchers, 0);
  const { institution } = archive.context;
  const accepted = institution.acceptedEvidence;
  institution.acceptedEvidence = accepted.filter((kind) => kind !== 'peer-vouch');
  expect(new Set(await codesOfAll(member))).toEqual(new Set(['not-found']));
  expect(await vouchingOf(member)).toMatchObject({ isAvailable: false });
  institution.acceptedEvidence = accepted;
  await archive.pool.query(`update membership_mode set mode = 'open'`);
  expect(new Set(await codesOfAll(member))).toEqual(new Set(['not-found']));
  await enterConfirmedMode(archive);
});
