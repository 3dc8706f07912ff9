import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { findCode } from '#server/testing/inbox.ts';
import { addEntryOf, confirmMember, enterConfirmedMode, namesake, printCode } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';
import { recordStatements } from '#server/testing/statements.ts';
import { reviewOpenClaims } from './claims.ts';
import { cleanUpClaimsJob } from './jobs.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

const claimOf = ({ document }: Member) => ({ matricNumber: document.academic.matricNumber, dob: document.dob });
const submit = (member: Member, more: { matricNumber?: string; dob?: string; note?: string } = {}) =>
  member.device.call('POST /api/membership/claims', { body: { ...claimOf(member), ...more } });
const membershipOf = ({ device }: Member) => device.call('GET /api/membership');
const notificationsOf = async ({ device }: Member) =>
  (await device.call('GET /api/notifications', { query: {} })).notifications.map(({ kind }) => kind);

test('matric number, birth date, names and class confirm no one: staff see the claim first in the queue', async () => {
  const [ben, ada] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  const entryId = await addEntryOf(archive, ada, { email: `old-${ada.email}` });
  expect(await submit(ben)).toEqual({ status: 'waiting' });
  expect(await submit(ada)).toEqual({ status: 'waiting' });
  await archive.runJobs();
  expect(await membershipOf(ada)).toMatchObject({ status: 'unconfirmed', isWaiting: true, evidence: [] });
  const registrar = await createStaff(archive, 'registrar');
  const { items } = await registrar.device.call('GET /api/staff/queue', { query: { kind: 'claim' } });
  expect(items[0]).toMatchObject({ name: expect.stringContaining(ada.document.name.last) as string, reason: 'agrees' });
  const { rows } = await archive.pool.query(
    'select agreeing_entry::int as entry from claims where account_id = any($1)',
    [[ada.uid, ben.uid]],
  );
  expect(rows).toEqual(expect.arrayContaining([{ entry: entryId }, { entry: null }]));
});

test('POST /api/membership/claims confirms when the verified address and the birth date are those of one entry', async () => {
  const ada = await archive.createMember(namesake);
  await addEntryOf(archive, ada, { email: ada.email, matric_number: 'OTHER/1' });
  expect(await submit(ada)).toEqual({ status: 'confirmed' });
  expect((await membershipOf(ada)).evidence).toMatchObject([{ kind: 'roster-email', assurance: 'strong' }]);
});

test('POST /api/membership/claims never confirms on the second attempt', async () => {
  const [ada, ben] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  await addEntryOf(archive, ada, { email: ada.email });
  await addEntryOf(archive, ben, { email: ben.email });
  for (const member of [ada, ben]) {
    expect(await submit(member, { dob: '1950-01-01' })).toEqual({ status: 'waiting' });
    expect(await submit(member)).toEqual({ status: 'waiting' });
    await member.device.call('DELETE /api/membership/claims');
    expect((await membershipOf(member)).claim).toMatchObject({ state: 'withdrawn' });
    expect(await submit(member)).toEqual({ status: 'waiting' });
    expect(await membershipOf(member)).toMatchObject({ status: 'unconfirmed', isWaiting: true, evidence: [] });
  }
});

test('POST /api/membership/claims accepts only the evidence that the institution accepts', async () => {
  const { acceptedEvidence } = archive.context.institution;
  const all = [...acceptedEvidence];
  onTestFinished(() => void acceptedEvidence.splice(0, acceptedEvidence.length, ...all));
  acceptedEvidence.splice(0, acceptedEvidence.length, 'staff-review');
  const ada = await archive.createMember(namesake);
  const code = await printCode(archive, await addEntryOf(archive, ada, { email: ada.email }));
  expect(await submit(ada)).toEqual({ status: 'waiting' });
  expect(await ada.device.code('POST /api/membership/codes', { body: { code } })).toBe('membership/wrong-code');
});

test('POST /api/membership/claims gives the same response with the same statements to every claim that waits', async () => {
  const holder = await archive.createMember(namesake);
  const cases: Record<string, (member: Member) => Promise<unknown>> = {
    'no such entry': () => Promise.resolve(),
    'agrees completely': (member) => addEntryOf(archive, member, { email: `old-${member.email}` }),
    'wrong birth date': (member) => addEntryOf(archive, member, { birth_date: '1950-01-01', email: member.email }),
    'wrong name': (member) => addEntryOf(archive, member, { last_name: 'Nwosu', first_name: 'Chidi', other_names: '' }),
    confidential: (member) => addEntryOf(archive, member, { is_confidential: true, email: member.email }),
    died: (member) => addEntryOf(archive, member, { died_on: '2020-01-01', email: member.email }),
    gone: (member) => addEntryOf(archive, member, { gone_since: 2 }),
    suppressed: (member) =>
      addEntryOf(archive, member, { suppressed_at: new Date(), birth_date: null, first_name: '' }),
    'claimed entry': async (member) => hold(holder, await addEntryOf(archive, member)),
    'entry held by strong evidence': async (member) => {
      const entryId = await addEntryOf(archive, member, { email: member.email });
      await hold(await archive.createMember(namesake), entryId, 'printed-code', 'strong');
    },
  };
  const seen: Record<string, unknown> = {};
  const claimants: [string, Member][] = [];
  for (const [name, prepare] of Object.entries(cases)) {
    const member = await archive.createMember(namesake);
    claimants.push([name, member]);
    await prepare(member);
    const statements = recordStatements();
    const { statusCode, body } = await member.device.ask('POST /api/membership/claims', { body: claimOf(member) });
    seen[name] = { statusCode, body, statements: statements() };
    expect((await membershipOf(member)).evidence).toEqual([]);
  }
  const expected = seen['no such entry'] as { statements: string[] };
  expect(expected).toMatchObject({ statusCode: 200, body: '{"status":"waiting"}' });
  expect(expected.statements.length).toBeGreaterThan(5);
  for (const [name, observed] of Object.entries(seen)) expect(observed, name).toEqual(expected);
  // The jobs have recorded a dispute for one of them.
  await archive.runJobs();
  for (const [name, member] of claimants) {
    expect([name, await membershipOf(member), await notificationsOf(member)]).toMatchObject([
      name,
      { status: 'unconfirmed', isWaiting: true, evidence: [], claim: { state: 'waiting', reason: '' } },
      ['email-verified'],
    ]);
    await member.device.call('DELETE /api/membership/claims');
    expect([name, await submit(member)]).toEqual([name, { status: 'waiting' }]);
  }
});

test('a claim by email for an entry that is held by strong evidence becomes a dispute, and the first account stays', async () => {
  const [ada, ben] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  const entryId = await addEntryOf(archive, ben, { email: ben.email });
  await ada.device.call('POST /api/membership/codes', { body: { code: await printCode(archive, entryId) } });
  expect(await submit(ben)).toEqual({ status: 'waiting' });
  await archive.runJobs();
  expect(await membershipOf(ada)).toMatchObject({ status: 'confirmed' });
  expect(await membershipOf(ben)).toMatchObject({ status: 'unconfirmed', isWaiting: true, evidence: [] });
  const { rows } = await archive.pool.query('select holder_id, claimant_id from disputes where entry_id = $1', [
    entryId,
  ]);
  expect(rows).toEqual([{ holder_id: ada.uid, claimant_id: ben.uid }]);
});

describe('a claim that became a dispute when it was sent is reviewed', () => {
  async function contest() {
    const [holder, claimant] = [await archive.createMember(namesake), await archive.createMember(namesake)];
    const entryId = await addEntryOf(archive, claimant, { email: claimant.email });
    await holder.device.call('POST /api/membership/codes', { body: { code: await printCode(archive, entryId) } });
    await submit(claimant);
    return { holder, claimant, entryId };
  }
  const disputesOf = async (entryId: number) =>
    (await archive.pool.query('select from disputes where entry_id = $1', [entryId])).rowCount;

  test.each<[string, (it: Awaited<ReturnType<typeof contest>>) => Promise<unknown>]>([
    ['with the birth date that it has now', ({ claimant }) => submit(claimant, { dob: '1950-01-01' })],
    [
      'with the address that the account has by then',
      ({ claimant: { uid } }) =>
        archive.pool.query('update accounts set email = $2 where id = $1', [uid, `moved-${uid}@mail.example`]),
    ],
    [
      'unless it was replaced',
      async ({ claimant }) => {
        await claimant.device.call('DELETE /api/membership/claims');
        await submit(claimant);
      },
    ],
    [
      'unless only staff may confirm the entry by then',
      async ({ holder, entryId }) => {
        await holder.device.call('DELETE /api/membership/evidence');
        await archive.pool.query('update roster_entries set is_deceased = true where id = $1', [entryId]);
      },
    ],
  ])('%s', async (_, change) => {
    const contested = await contest();
    await change(contested);
    await archive.runJobs();
    expect(await membershipOf(contested.claimant)).toMatchObject({ status: 'unconfirmed', isWaiting: true });
    expect(await disputesOf(contested.entryId)).toBe(0);
  });

  test('and confirms the account if no other account holds the entry by then', async () => {
    const { holder, claimant } = await contest();
    // The response to the first request was lost.
    await submit(claimant);
    await holder.device.call('DELETE /api/membership/evidence');
    await archive.runJobs();
    expect(await membershipOf(claimant)).toMatchObject({ status: 'confirmed', evidence: [{ kind: 'roster-email' }] });
  });
});

test('POST /api/membership/claims allows five claims a day for an account, and sixty for a network', async () => {
  const ada = await archive.createMember(namesake);
  for (let sent = 0; sent < 5; sent++) expect(await submit(ada)).toEqual({ status: 'waiting' });
  expect(await ada.device.code('POST /api/membership/claims', { body: claimOf(ada) })).toBe('auth/too-many-requests');
  const [ben, eve] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  await archive.pool.query(`update long_throttles set hits = 60 where key like 'claimsByAddress:%'`);
  ben.device.ip = ada.device.ip;
  expect(await ben.device.code('POST /api/membership/claims', { body: claimOf(ben) })).toBe('auth/too-many-requests');
  expect(await submit(eve)).toEqual({ status: 'waiting' });
});

test('the owner of a mailbox cannot try birth dates with one account after another, nor wait for an import', async () => {
  const heir = await archive.createMember(namesake);
  await addEntryOf(archive, heir, { email: heir.email, matric_number: 'REUSED/1', birth_date: '1950-05-17' });
  let { device } = heir;
  const guess = (dob: string) =>
    device.call('POST /api/membership/claims', { body: { ...claimOf(heir), dob, note: '' } });
  for (const dob of ['1950-05-14', '1950-05-15', '1950-05-16']) {
    expect(await guess(dob)).toEqual({ status: 'waiting' });
    await device.call('DELETE /api/identity/account');
    const next = await archive.signUpVerified(heir.email);
    device = next.device;
    await device.call('PUT /api/users/{id}', { params: { id: next.uid }, body: heir.document });
  }
  expect(await guess('1950-05-17')).toEqual({ status: 'waiting' });
  await reviewOpenClaims(archive.context, { signal: AbortSignal.timeout(60_000) });
  expect(await device.call('GET /api/membership')).toMatchObject({ status: 'unconfirmed', isWaiting: true });
});

test('the owner of a mailbox cannot try birth dates with accounts that claim from elsewhere and then move to it', async () => {
  const mailbox = 'moved-to@mail.example';
  const ada = await archive.createMember(namesake);
  await submit(ada);
  await addEntryOf(archive, ada, { email: mailbox });
  await ada.device.call('POST /api/identity/email', { body: { email: mailbox } });
  await archive.runJobs();
  const code = findCode(await archive.inbox.next(mailbox, 'Confirm your new email address'));
  await ada.device.call('POST /api/identity/action-code/apply', { body: { code } });
  await reviewOpenClaims(archive.context, { signal: AbortSignal.timeout(60_000) });
  expect(await membershipOf(ada)).toMatchObject({ status: 'unconfirmed', isWaiting: true });
});

test('evidence by email needs a birth date other than 1 January, which stands for an unknown day', async () => {
  const ada = await archive.createMember(namesake);
  await addEntryOf(archive, ada, { email: ada.email, birth_date: '1990-01-01' });
  expect(await submit(ada, { dob: '1990-01-01' })).toEqual({ status: 'waiting' });
  await ada.device.call('POST /api/membership/mailed-codes', { body: { ...claimOf(ada), dob: '1990-01-01' } });
  await archive.runJobs();
  expect(archive.inbox.to(ada.email).map(({ subject }) => subject)).not.toContain('Your code for the alumni archive');
});

test('DELETE /api/membership/evidence releases the entry and ends the membership at once', async () => {
  const [ada, ben, guest] = [
    await archive.createMember(namesake),
    await archive.createMember(namesake),
    archive.openDevice(),
  ];
  const entryId = await addEntryOf(archive, ada, { email: ada.email });
  await submit(ada);
  await confirmMember(archive, ben);
  const profileOf = (device: Member['device']) =>
    device.ask('GET /api/users/{id}', { params: { id: ada.uid }, query: {} }).then(({ statusCode }) => statusCode);
  expect([await profileOf(ben.device), await profileOf(guest)]).toEqual([200, 200]);
  await ada.device.call('DELETE /api/membership/evidence');
  expect([await profileOf(ben.device), await profileOf(guest)]).toEqual([404, 404]);
  expect(await membershipOf(ada)).toMatchObject({ status: 'unconfirmed', evidence: [], confirmedAt: null });
  const { rows } = await archive.pool.query('select from roster_links where entry_id = $1', [entryId]);
  expect(rows).toEqual([]);
  await archive.pool.query(
    `update sessions set authenticated_at = now() - interval '6 minutes' where account_id = $1`,
    [ada.uid],
  );
  expect(await ada.device.code('DELETE /api/membership/evidence')).toBe('auth/requires-recent-login');
});

test('claims expire 90 days after the last change, with one notification', async () => {
  const ada = await archive.createMember(namesake);
  await submit(ada);
  await archive.advanceTime('91 days');
  for (let night = 0; night < 2; night++) {
    await cleanUpClaimsJob.queue(archive.context.db, {});
    await archive.runJobs();
  }
  const { rows } = await archive.pool.query('select state from claims where account_id = $1', [ada.uid]);
  expect(rows).toEqual([{ state: 'expired' }]);
  expect(archive.inbox.to(ada.email).filter(({ subject }) => subject === 'Your request has expired')).toHaveLength(1);
});

test('GET /api/membership returns the median wait, with at least five decisions by staff', async () => {
  const ada = await archive.createMember(namesake);
  for (const days of [1, 2, 3, 30]) await decide(ada, `${days} days`);
  // A withdrawn confirmation has a claim that was never pending.
  await decide(ada, '0 days');
  expect((await membershipOf(ada)).usualDays).toBeNull();
  await decide(ada, '60 hours');
  expect((await membershipOf(ada)).usualDays).toBe(3);
});

test('membership endpoints respond with “not-found” in the mode open, and refuse guests and accounts without a profile', async () => {
  const visitor = await archive.signUpVerified();
  const body = { matricNumber: 'A', dob: '1990-01-01' };
  expect(await visitor.device.code('POST /api/membership/claims', { body })).toBe('permission-denied');
  expect(await archive.openDevice().code('POST /api/membership/claims', { body })).toBe('auth/unauthenticated');
  const other = await openArchive(inject('databases'));
  onTestFinished(() => other.close());
  const { device } = await other.createMember();
  expect([
    await device.code('GET /api/membership'),
    await device.code('POST /api/membership/claims', { body }),
    await device.code('POST /api/membership/codes', { body: { code: '0123456789' } }),
    await device.code('POST /api/membership/mailed-codes', { body }),
    await device.code('DELETE /api/membership/evidence'),
    await device.code('POST /api/membership/disputes', { body: { code: 'x' } }),
    await other.openDevice().code('GET /api/membership'),
  ]).toEqual(Array<string>(7).fill('not-found'));
});

async function hold({ uid }: Member, entryId: number, kind = 'peer-vouch', assurance = 'moderate'): Promise<void> {
  await archive.pool.query('insert into roster_links (entry_id, account_id) values ($1, $2)', [entryId, uid]);
  await archive.pool.query('insert into evidence (account_id, entry_id, kind, assurance) values ($1, $2, $3, $4)', [
    uid,
    entryId,
    kind,
    assurance,
  ]);
}

const decide = ({ uid }: Member, wait: string) =>
  archive.pool.query(
    `insert into claims (account_id, state, typed, created_at, decided_at, decided_by)
     values ($1, 'rejected', '{"matricNumber": "A", "dob": ""}', now() - $2::interval, now(), 'operator')`,
    [uid, wait],
  );
