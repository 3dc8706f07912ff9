import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { Db } from '../../db/client.ts';
import { type Member, type TestArchive, openArchive } from '../../testing/archive.ts';
import { confirmMember, enterConfirmedMode } from '../../testing/membership.ts';
import { makeStaff } from '../../testing/staff.ts';
import { withdrawEvidence } from '../../domain/confirmations.ts';
import { recordImpostor } from '../../domain/impostors.ts';
import { setMembershipStatus } from '../../domain/membership.ts';
import { findRefusedVouches } from './vouch-queries.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

let departments = 0;

/** Creates members of one class who may vouch, in a department of their own, and an unconfirmed person of the class. */
async function createClass(members = 3) {
  const department = `Department ${++departments}`;
  /** Creates a person in the department. @param age how long ago they were confirmed; null for an unconfirmed person */
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

const askToVouch = (claimant: Member, { uid }: Member) =>
  claimant.device.ask('PUT /api/membership/vouch-requests/{id}', { params: { id: uid } });

/** Answers about what the member is shown now. */
async function answer(voucher: Member, { uid }: Member, text: 'yes' | 'unsure' | 'no' = 'yes') {
  const { version = 'none' } = (await claimantsOf(voucher)).find(({ id }) => id === uid) ?? {};
  return voucher.device.ask('PUT /api/membership/vouches/{id}', {
    params: { id: uid },
    body: { answer: text, version },
  });
}

/** Asks by name, and lets the voucher answer. @returns the status of the answer */
async function vouch(voucher: Member, claimant: Member, text: 'yes' | 'unsure' | 'no' = 'yes'): Promise<number> {
  expect((await askToVouch(claimant, voucher)).statusCode).toBe(204);
  return (await answer(voucher, claimant, text)).statusCode;
}

async function createLink({ device }: Member): Promise<string> {
  const { url } = await device.call('POST /api/membership/vouch-link');
  expect(url).toMatch(/^http:\/\/localhost:3000\/vouch\/[\w-]{43}$/u);
  return url.split('/').at(-1) ?? '';
}

const statusOf = async ({ device }: Member) => (await device.call('GET /api/membership')).status;
const vouchingOf = async ({ device }: Member) => (await device.call('GET /api/membership')).vouching;
const claimantsOf = async ({ device }: Member) => (await device.call('GET /api/membership/vouch-requests')).claimants;
const openLink = async ({ device }: Member, code: string) =>
  device.call('GET /api/membership/vouch-links/{code}', { params: { code } });
/** Answers about what the member is shown now. */
async function answerLink(voucher: Member, code: string) {
  const { version } = await openLink(voucher, code).catch(() => ({ version: 'none' }));
  return voucher.device.ask('PUT /api/membership/vouch-links/{code}', {
    params: { code },
    body: { answer: 'yes', version },
  });
}
const transact = <Result>(work: (tx: Db) => Promise<Result>): Promise<Result> =>
  archive.context.db.transaction().execute(work);

test('the second vouch by members of the class confirms the claimant', async () => {
  const { vouchers, claimant } = await createClass();
  const [ada, ben] = [get(vouchers, 0), get(vouchers, 1)];
  expect(await vouchingOf(claimant)).toEqual({ isAvailable: true, linkExpiresAt: null, asked: [], received: 0 });
  expect(await vouch(ada, claimant)).toBe(204);
  expect(await vouchingOf(claimant)).toMatchObject({ received: 1, asked: [{ id: ada.uid }] });
  expect(await statusOf(claimant)).toBe('unconfirmed');
  expect((await answerLink(ben, await createLink(claimant))).statusCode).toBe(204);
  const membership = await claimant.device.call('GET /api/membership');
  expect(membership).toMatchObject({
    status: 'confirmed',
    evidence: [{ kind: 'peer-vouch', assurance: 'moderate' }],
    claim: { state: 'confirmed' },
  });
});

test('a vouch counts only for the name and the class that the member saw', async () => {
  const { vouchers, claimant } = await createClass();
  await vouch(get(vouchers, 0), claimant);
  const body = {
    ...claimant.document,
    version: 'any' as const,
    name: { ...claimant.document.name, first: 'Chidinma' },
  };
  await claimant.device.call('PUT /api/users/{id}', { params: { id: claimant.uid }, body });
  expect(await vouchingOf(claimant)).toMatchObject({ received: 0 });
  await vouch(get(vouchers, 1), claimant);
  expect(await statusOf(claimant)).toBe('unconfirmed');
  await vouch(get(vouchers, 0), claimant);
  expect(await statusOf(claimant)).toBe('confirmed');
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
    await askToVouch(claimant, ada);
    const { version } = await openLink(ben, code);
    expect(await claimantsOf(ada)).toMatchObject([{ version }]);
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
      const responses = [
        await ada.device.problem('PUT /api/membership/vouches/{id}', { params: { id: claimant.uid }, body }),
        await ben.device.problem('PUT /api/membership/vouch-links/{code}', { params: { code }, body }),
      ];
      for (const response of responses)
        expect(response).toMatchObject({
          status: 409,
          code: 'profile-changed',
          detail: 'The name or class has changed since you opened this page. Please look again.',
        });
    }
    expect((await answerLink(ben, code)).statusCode).toBe(204);
    expect(await vouchingOf(claimant)).toMatchObject({ received: 1 });
  },
);

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

test('a request shows the member the name and the class of the claimant, and nothing else', async () => {
  const { vouchers, claimant } = await createClass();
  const ada = get(vouchers, 0);
  await askToVouch(claimant, ada);
  const { first, middle, last } = claimant.document.name;
  const name = [first, middle, last].filter(Boolean).join(' ');
  const version: unknown = expect.stringMatching(/^[\w-]{43}$/u);
  const department = `Department ${departments}`;
  const shown = {
    name,
    department,
    yearGraduated: 2015,
    version,
    answer: null,
    isRepresentative: false,
    refusal: null,
  };
  expect(await claimantsOf(ada)).toEqual([{ id: claimant.uid, ...shown }]);
  expect(await openLink(ada, await createLink(claimant))).toEqual(shown);
  expect(await ada.device.code('GET /api/users/{id}', { params: { id: claimant.uid }, query: {} })).toBe('not-found');
});

test('a request notifies the member once, without a name', async () => {
  const { vouchers, claimant } = await createClass();
  const ada = get(vouchers, 0);
  for (let asked = 0; asked < 3; asked++) await askToVouch(claimant, ada);
  const { notifications } = await ada.device.call('GET /api/notifications', { query: {} });
  expect(notifications.filter(({ kind }) => kind === 'vouch-asked')).toMatchObject([{ detail: '' }]);
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
  await answer(ada, claimant, 'no');
  expect(await claimantsOf(ada)).toMatchObject([{ answer: 'no' }]);
  await vouch(ben, claimant);
  expect(await statusOf(claimant)).toBe('unconfirmed');
  const link = await createLink(claimant);
  await vouch(eve, claimant);
  expect(await statusOf(claimant)).toBe('confirmed');
  expect((await answer(ben, claimant, 'no')).statusCode).toBe(403);
  expect(await openLink(ada, link)).toMatchObject({ refusal: 'decided' });
  expect(await claimantsOf(ada)).toEqual([]);
});

test.each([
  ['not-confirmed', { kind: 'peer-vouch', age: '8 days' }],
  ['too-new', { kind: 'printed-code', age: '6 days' }],
] as const)('a member confirmed otherwise is refused: %s', async (refusal, evidence) => {
  const { claimant, join } = await createClass();
  const member = await join(2015, null);
  await confirmMember(archive, member, evidence);
  expect(await vouch(member, claimant)).toBe(403);
  expect(await claimantsOf(member)).toMatchObject([{ refusal, answer: null }]);
});

test('a member with other evidence is too new until that evidence is seven days old', async () => {
  const { claimant, join } = await createClass();
  const member = await join(2015, null);
  await confirmMember(archive, member, { kind: 'peer-vouch', age: '30 days' });
  await archive.pool.query(`insert into evidence (account_id, kind, assurance) values ($1, 'printed-code', 'strong')`, [
    member.uid,
  ]);
  expect(await vouch(member, claimant)).toBe(403);
  expect(await claimantsOf(member)).toMatchObject([{ refusal: 'too-new' }]);
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
  expect((await askToVouch(claimant, far)).statusCode).toBe(404);
  const link = await createLink(claimant);
  expect(await openLink(far, link)).toMatchObject({ refusal: 'other-class' });
  expect((await answerLink(far, link)).statusCode).toBe(403);
  const stranger = get((await createClass()).vouchers, 0);
  expect(await openLink(stranger, link)).toMatchObject({ refusal: 'other-class' });
  expect((await askToVouch(claimant, stranger)).statusCode).toBe(404);
});

test('a member vouches for five people in 30 days', async () => {
  const { vouchers, claimant, join } = await createClass();
  const ada = get(vouchers, 0);
  for (let given = 0; given < 5; given++) expect(await vouch(ada, await join(2015, null))).toBe(204);
  expect(await vouch(ada, claimant)).toBe(403);
  expect((await claimantsOf(ada)).find(({ id }) => id === claimant.uid)).toMatchObject({ refusal: 'limit' });
  await archive.pool.query(`update vouches set created_at = created_at - interval '31 days' where voucher_id = $1`, [
    ada.uid,
  ]);
  expect((await answer(ada, claimant)).statusCode).toBe(204);
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

test('a claimant asks only people whom guests see in the class', async () => {
  const { vouchers, claimant } = await createClass();
  const ada = get(vouchers, 0);
  await ada.device.call('PUT /api/users/{id}/privacy', {
    params: { id: ada.uid },
    body: { visibility: { name: 'members' }, version: 'any' },
  });
  expect((await askToVouch(claimant, ada)).statusCode).toBe(404);
  expect((await answer(ada, claimant)).statusCode).toBe(404);
  // They can still answer by the link.
  expect((await answerLink(ada, await createLink(claimant))).statusCode).toBe(204);
  expect(await vouchingOf(claimant)).toMatchObject({ received: 1, asked: [] });
});

test('a claimant asks ten members a day', async () => {
  const { vouchers, claimant } = await createClass(11);
  for (const voucher of vouchers.slice(0, 10)) expect((await askToVouch(claimant, voucher)).statusCode).toBe(204);
  expect((await askToVouch(claimant, get(vouchers, 10))).statusCode).toBe(429);
  expect((await askToVouch(claimant, get(vouchers, 0))).statusCode).toBe(204);
});

/** Makes a member the representative of their department and of the years around 2015. */
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
  /** The records of the representative, with the account of the claim. */
  const findRecords = async () =>
    (
      await archive.pool.query(
        `select r.action, c.account_id as about, r.details from audit_records r
         left join claims c on r.subject_kind = 'claim' and c.id::text = r.subject where r.actor = $1`,
        [representative.uid],
      )
    ).rows;
  await askToVouch(claimant, representative);
  const code = await createLink(claimant);
  await enterPassword('13 hours');
  for (const response of [await answer(representative, claimant), await answerLink(representative, code)])
    expect(response.json<Problem>().code).toBe('auth/requires-recent-login');
  expect(await vouchingOf(claimant)).toMatchObject({ received: 0 });
  // The other answers decide nothing.
  expect((await answer(representative, claimant, 'unsure')).statusCode).toBe(204);
  expect(await findRecords()).toEqual([]);
  expect(await claimantsOf(representative)).toMatchObject([{ isRepresentative: true, refusal: null }]);
  await enterPassword('11 hours');
  expect((await answer(representative, claimant)).statusCode).toBe(204);
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

test('a link and a request expire after 14 days, and a new link replaces the old one', async () => {
  const { vouchers, claimant } = await createClass();
  const [ada, ben] = [get(vouchers, 0), get(vouchers, 1)];
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
  await askToVouch(claimant, ben);
  await archive.pool.query(`update vouch_links set expires_at = expires_at - interval '14 days'`);
  await archive.pool.query(`update vouch_requests set created_at = created_at - interval '14 days'`);
  expect(await ada.device.code('GET /api/membership/vouch-links/{code}', { params: { code: second } })).toBe(
    'not-found',
  );
  expect((await answerLink(ada, second)).statusCode).toBe(404);
  expect(await claimantsOf(ben)).toEqual([]);
  expect((await answer(ben, claimant)).statusCode).toBe(404);
  expect(await vouchingOf(claimant)).toMatchObject({ linkExpiresAt: null, asked: [] });
  await askToVouch(claimant, ben);
  expect(await claimantsOf(ben)).toMatchObject([{ id: claimant.uid }]);
});

test('people cannot vouch for themselves, nor with a second account of the same roster entry', async () => {
  const { vouchers, claimant } = await createClass();
  const ada = get(vouchers, 0);
  expect((await askToVouch(claimant, claimant)).statusCode).toBe(404);
  const link = await createLink(claimant);
  expect(await openLink(claimant, link)).toMatchObject({ refusal: 'own' });
  expect((await answerLink(claimant, link)).statusCode).toBe(403);
  await linkToNewEntry(ada, claimant.document.academic.matricNumber.replaceAll('/', ' - '));
  expect(await openLink(ada, link)).toMatchObject({ refusal: 'own' });
  expect((await answerLink(ada, link)).statusCode).toBe(403);
});

/** Links an account to a new roster entry with a matric number. */
async function linkToNewEntry({ uid }: Member, matricNumber: string): Promise<void> {
  await archive.pool.query(
    `with entry as (
       insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import)
       values (upper(regexp_replace($2, '[^[:alnum:]]', '', 'g')), $2, 'Doe', 'Jo', '{}', 1, 1) returning id)
     insert into roster_links (entry_id, account_id) select id, $1 from entry`,
    [uid, matricNumber],
  );
}

test('a block by either person hides the request without revealing the block', async () => {
  const { vouchers, claimant } = await createClass();
  const [ada, ben] = [get(vouchers, 0), get(vouchers, 1)];
  const link = await createLink(claimant);
  await archive.pool.query('insert into blocks (account_id, blocked_id) values ($1, $2), ($2, $3)', [
    ada.uid,
    claimant.uid,
    ben.uid,
  ]);
  for (const blocked of [ada, ben]) {
    expect((await askToVouch(claimant, blocked)).statusCode).toBe(204);
    expect(await claimantsOf(blocked)).toEqual([]);
    expect((await blocked.device.call('GET /api/notifications', { query: {} })).notifications).not.toContainEqual(
      expect.objectContaining({ kind: 'vouch-asked' }),
    );
    expect((await answer(blocked, claimant)).statusCode).toBe(404);
    expect((await answerLink(blocked, link)).statusCode).toBe(404);
  }
  expect((await vouchingOf(claimant)).asked.map(({ id }) => id)).toEqual([ada.uid, ben.uid]);
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
  expect(await other.device.code('GET /api/membership/vouch-requests')).toBe('permission-denied');
  expect(await statusOf(claimant)).toBe('unconfirmed');
});

test('only unconfirmed people ask for vouches', async () => {
  const { vouchers, claimant } = await createClass();
  expect(await get(vouchers, 0).device.code('POST /api/membership/vouch-link')).toBe('permission-denied');
  for (const status of ['disputed', 'rejected'] as const) {
    await transact((tx) => setMembershipStatus(tx, claimant.uid, status));
    expect((await askToVouch(claimant, get(vouchers, 0))).statusCode).toBe(403);
  }
});

test('two parallel second vouches confirm once', async () => {
  const { vouchers, claimant, join } = await createClass(6);
  await vouch(get(vouchers, 0), claimant);
  for (const voucher of vouchers) await askToVouch(claimant, voucher);
  const statuses = await Promise.all(
    vouchers.slice(1).map(async (voucher) => (await answer(voucher, claimant)).statusCode),
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 403, 403, 403, 403]);
  const { rows } = await archive.pool.query('select from evidence where account_id = $1', [claimant.uid]);
  expect(rows).toHaveLength(1);
  // Parallel answers of many members about each other do not deadlock.
  const claimants = await Promise.all(Array.from({ length: 3 }, () => join(2015, null)));
  for (const other of claimants) for (const voucher of vouchers.slice(0, 3)) await askToVouch(other, voucher);
  const answers = await Promise.all(
    claimants.flatMap((other) => vouchers.slice(0, 3).map((voucher) => answer(voucher, other, 'unsure'))),
  );
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([204]));
});

test('two vouches confirm as the roster entry with the same matric number, birth date and names', async () => {
  const { vouchers, claimant } = await createClass();
  await addEntryOf(claimant);
  await vouch(get(vouchers, 0), claimant);
  await vouch(get(vouchers, 1), claimant);
  expect(await statusOf(claimant)).toBe('confirmed');
  expect(await holdsEntry(claimant)).toBe(true);
});

test('two vouches leave a claim to staff when its entry belongs to another account, or needs staff', async () => {
  const { vouchers, claimant, join } = await createClass(3);
  await addEntryOf(claimant);
  const holder = await join(2015, null);
  await archive.pool.query('insert into roster_links (entry_id, account_id) select max(id), $1 from roster_entries', [
    holder.uid,
  ]);
  const late = await join(2015, null);
  await addEntryOf(late, '2020-01-01');
  for (const person of [claimant, late]) {
    for (const voucher of vouchers) await vouch(voucher, person);
    expect(await person.device.call('GET /api/membership')).toMatchObject({
      status: 'unconfirmed',
      evidence: [],
      isWaiting: true,
    });
    expect(await holdsEntry(person)).toBe(false);
  }
  const { rows } = await archive.pool.query('select holder_id from disputes where claimant_id = $1', [claimant.uid]);
  expect(rows).toEqual([{ holder_id: holder.uid }]);
});

/** Adds the roster entry of a person. */
async function addEntryOf({ document: { name, dob, academic } }: Member, diedOn: string | null = null): Promise<void> {
  await archive.pool.query(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, other_names, birth_date, died_on,
       words, first_import, last_import)
     values (upper(regexp_replace($1, '[^[:alnum:]]', '', 'g')), $1, $2, $3, $4, $5, $6, '{}', 1, 1)`,
    [academic.matricNumber, name.last, name.first, name.middle, dob, diedOn],
  );
}

async function holdsEntry({ uid }: Member): Promise<boolean> {
  return (await archive.pool.query('select from roster_links where account_id = $1', [uid])).rows.length > 0;
}

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
  expect(await vouch(ben, later)).toBe(403);
  expect(await claimantsOf(ben)).toMatchObject([{ refusal: 'suspended' }]);
  await archive.pool.query(
    `update accounts set vouching_suspended_until = vouching_suspended_until - interval '180 days'`,
  );
  expect((await answer(ben, later)).statusCode).toBe(204);
});

/** Calls all endpoints for vouching. @returns the problem code of each response */
async function codesOfAll({ device, uid }: Member): Promise<string[]> {
  const body = { answer: 'yes', version: 'any' } as const;
  return [
    await device.code('POST /api/membership/vouch-link'),
    await device.code('PUT /api/membership/vouch-requests/{id}', { params: { id: uid } }),
    await device.code('GET /api/membership/vouch-requests'),
    await device.code('PUT /api/membership/vouches/{id}', { params: { id: uid }, body }),
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
