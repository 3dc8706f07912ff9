import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { confirmAccount } from '#server/domain/membership/confirmations.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { findLink } from '#server/testing/inbox.ts';
import {
  addEntry,
  addEntryOf,
  confirmMember,
  enterConfirmedMode,
  namesake,
  printCode,
} from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';
import { recordStatements } from '#server/testing/statements.ts';
import { rejectClaim } from './staff-decisions.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

const claimOf = ({ document }: Member) => ({ matricNumber: document.academic.matricNumber, dob: document.dob });
const useCode = ({ device }: Member, code: string) => device.call('POST /api/membership/codes', { body: { code } });
const refusalOf = ({ device }: Member, code: string) => device.code('POST /api/membership/codes', { body: { code } });
const membershipOf = ({ device }: Member) => device.call('GET /api/membership');
const profileStatus = async ({ device }: Pick<Member, 'device'>, { uid }: Member) =>
  (await device.ask('GET /api/users/{id}', { params: { id: uid }, query: {} })).statusCode;
const disputesOf = async (entryId: number) => {
  const { rows } = await archive.pool.query<{ holder: string; claimant: string | null; text: string }>(
    'select holder_id as holder, claimant_id as claimant, text from disputes where entry_id = $1',
    [entryId],
  );
  return rows;
};

/** Confirms by moderate evidence, as earlier versions did. */
async function createKnown(values: Parameters<typeof addEntryOf>[2] = {}) {
  const member = await archive.createMember(namesake);
  const entryId = await addEntryOf(archive, member, values);
  await archive.context.db
    .transaction()
    .execute((tx) => confirmAccount(tx, archive.context, { accountId: member.uid, entryId, kind: 'knowledge-match' }));
  return { member, entryId };
}

test('POST /api/membership/codes confirms once, however the code is typed', async () => {
  const [ada, ben] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  const code = await printCode(archive, await addEntry(archive));
  expect(await useCode(ada, ` ${code.slice(0, 5).toLowerCase()} - ${code.slice(5)}`)).toEqual({ status: 'confirmed' });
  expect((await membershipOf(ada)).evidence).toMatchObject([{ kind: 'printed-code', assurance: 'strong' }]);
  expect(await useCode(ada, code)).toEqual({ status: 'confirmed' });
  expect((await membershipOf(ada)).evidence).toHaveLength(1);
  expect(await refusalOf(ben, code)).toBe('membership/wrong-code');
  await ada.device.call('DELETE /api/membership/evidence');
  expect(await refusalOf(ada, code)).toBe('membership/wrong-code');
});

test('POST /api/membership/codes gives the same response to every code that does not work', async () => {
  const { member: known } = await createKnown();
  const used = await printCode(archive, await addEntry(archive));
  await useCode(await archive.createMember(namesake), used);
  const expired = await printCode(archive, await addEntry(archive));
  await archive.pool.query(`update membership_codes set expires_at = now() where used_at is null`);
  const codes: [name: string, code: string, member?: Member][] = [
    ['unknown', '012345678900'],
    ['malformed', 'not a code'],
    ['used', used],
    ['expired', expired],
    ['of a person who has died', await printCode(archive, await addEntry(archive, { is_deceased: true }))],
    ['of a suppressed entry', await printCode(archive, await addEntry(archive, { suppressed_at: new Date() }))],
    ['of an entry that is gone', await printCode(archive, await addEntry(archive, { gone_since: 2 }))],
    ['of another entry than that of the account', await printCode(archive, await addEntry(archive)), known],
  ];
  const seen = [];
  for (const [name, code, member = await archive.createMember(namesake)] of codes) {
    const statements = recordStatements();
    const { body } = await member.device.ask('POST /api/membership/codes', { body: { code } });
    seen.push({ name, body, statements: statements() });
  }
  for (const { name, body, statements } of seen)
    expect({ body, statements }, name).toEqual({ body: seen[0]?.body, statements: seen[0]?.statements });
  expect(seen[0]?.body).toContain('membership/wrong-code');
  // Staff handed this code over.
  const confidential = await printCode(archive, await addEntry(archive, { is_confidential: true }));
  expect(await useCode(await archive.createMember(namesake), confidential)).toEqual({ status: 'confirmed' });
});

test('POST /api/membership/codes confirms one of eight accounts that use a code at the same time', async () => {
  const members = [];
  for (let count = 0; count < 8; count++) members.push(await archive.createMember(namesake));
  const entryId = await addEntry(archive);
  const code = await printCode(archive, entryId);
  const answers = await Promise.all(
    members.map(({ device }) => device.ask('POST /api/membership/codes', { body: { code } })),
  );
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array<number>(7).fill(422),
  ]);
  const { rows } = await archive.pool.query(
    `select from accounts where id = any($1) and membership_status = 'confirmed'`,
    [members.map(({ uid }) => uid)],
  );
  expect(rows).toHaveLength(1);
});

test('confirmations of one entry at the same time by different codes leave one confirmed account', async () => {
  const members = [];
  for (let count = 0; count < 8; count++) members.push(await archive.createMember(namesake));
  const entryId = await addEntry(archive);
  const codes = await Promise.all(members.map(() => printCode(archive, entryId)));
  const answers = await Promise.all(members.map((member, at) => useCode(member, codes[at] ?? '')));
  expect(answers.filter(({ status }) => status === 'confirmed')).toHaveLength(1);
  expect(await disputesOf(entryId)).toHaveLength(7);
});

test('POST /api/membership/codes allows ten tries an hour for an account', async () => {
  const ada = await archive.createMember(namesake);
  for (let tries = 0; tries < 10; tries++) expect(await refusalOf(ada, '012345678900')).toBe('membership/wrong-code');
  expect(await refusalOf(ada, '012345678900')).toBe('auth/too-many-requests');
});

test('POST /api/membership/codes allows 200 wrong codes an hour for all accounts of a network, and a valid code always works', async () => {
  const [ada, ben] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  ben.device.ip = ada.device.ip;
  await refusalOf(ada, 'Z12345678900');
  const rule = `update long_throttles set hits = 199 where key like 'membershipCodesByAddress:%'`;
  await archive.pool.query(rule);
  expect(await refusalOf(ada, '012345678900')).toBe('membership/wrong-code');
  expect(await refusalOf(ben, '012345678900')).toBe('auth/too-many-requests');
  expect(await useCode(ben, await printCode(archive, await addEntry(archive)))).toEqual({ status: 'confirmed' });
  await archive.advanceTime('61 minutes');
  expect(await refusalOf(ada, '012345678900')).toBe('membership/wrong-code');
});

test('strong evidence takes an entry from an account with moderate evidence, which becomes disputed and loses nothing', async () => {
  const { member: impostor, entryId } = await createKnown();
  const [ada, reader] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  await confirmMember(archive, reader);
  expect(await profileStatus(reader, impostor)).toBe(200);
  expect(await useCode(ada, await printCode(archive, entryId))).toEqual({ status: 'confirmed' });
  expect(await membershipOf(impostor)).toMatchObject({ status: 'disputed', evidence: [] });
  expect(await profileStatus(reader, impostor)).toBe(404);
  expect(await profileStatus(impostor, impostor)).toBe(200);
  expect(await disputesOf(entryId)).toEqual([{ holder: ada.uid, claimant: impostor.uid, text: '' }]);
  await archive.runJobs();
  await archive.inbox.next(impostor.email, 'Your membership is being checked');
  const { notifications } = await impostor.device.call('GET /api/notifications', { query: {} });
  expect(notifications.map(({ kind }) => kind)).toContain('membership-disputed');
});

test('moderate evidence no longer confirms an account that is disputed, and strong evidence does', async () => {
  const { member: impostor, entryId } = await createKnown();
  await useCode(await archive.createMember(namesake), await printCode(archive, entryId));
  const { db } = archive.context;
  const confirmation = { accountId: impostor.uid, entryId: null, kind: 'peer-vouch' } as const;
  expect(await db.transaction().execute((tx) => confirmAccount(tx, archive.context, confirmation))).toBe('disputed');
  expect(await membershipOf(impostor)).toMatchObject({ status: 'disputed', isWaiting: true });
  expect(await useCode(impostor, await printCode(archive, await addEntry(archive)))).toEqual({ status: 'confirmed' });
});

test('moderate evidence does not confirm an account that withdraws its evidence in a dispute', async () => {
  const ada = await archive.createMember(namesake);
  const entryId = await addEntryOf(archive, ada, { email: 'owner@mail.example' });
  await useCode(ada, await printCode(archive, entryId));
  await report(await takeNotice('owner@mail.example'));
  await ada.device.call('DELETE /api/membership/evidence');
  expect(await membershipOf(ada)).toMatchObject({ status: 'unconfirmed' });
  expect(await ada.device.call('POST /api/membership/claims', { body: claimOf(ada) })).toEqual({ status: 'waiting' });
});

test('the address of an entry gets a notice when an account that is already confirmed takes the entry', async () => {
  const ada = await archive.createMember(namesake);
  await confirmMember(archive, ada);
  await useCode(ada, await printCode(archive, await addEntry(archive, { email: 'later@mail.example' })));
  expect(await takeNotice('later@mail.example')).not.toBe('');
});

test('evidence of equal strength changes nothing: the claim waits, and the first account stays', async () => {
  const [ada, ben] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  const entryId = await addEntry(archive);
  await useCode(ada, await printCode(archive, entryId));
  const second = await printCode(archive, entryId);
  expect(await useCode(ben, second)).toEqual({ status: 'waiting' });
  expect(await useCode(ben, second)).toEqual({ status: 'waiting' });
  expect(await membershipOf(ada)).toMatchObject({ status: 'confirmed' });
  expect(await membershipOf(ben)).toMatchObject({ status: 'unconfirmed', isWaiting: true, evidence: [] });
  expect(await disputesOf(entryId)).toEqual([{ holder: ada.uid, claimant: ben.uid, text: '' }]);
});

test('POST /api/membership/mailed-codes mails a code that works for 24 hours, only if the birth date is that of the entry', async () => {
  const ada = await archive.createMember(namesake);
  const entryId = await addEntryOf(archive, ada, { email: 'old-campus@mail.example' });
  const request = (dob: string) =>
    ada.device.ask('POST /api/membership/mailed-codes', { body: { ...claimOf(ada), dob } });
  const [wrong, right] = [await request('1950-01-01'), await request(claimOf(ada).dob)];
  expect([wrong.statusCode, right.statusCode, wrong.body]).toEqual([204, 204, right.body]);
  await archive.runJobs();
  expect(archive.inbox.to('old-campus@mail.example')).toHaveLength(1);
  const mail = await archive.inbox.next('old-campus@mail.example', 'Your code for the alumni archive');
  const code = findLink(mail).pathname.replace('/join/', '');
  expect(mail.text).toContain(`${code.slice(0, 4)}-${code.slice(4, 8)}-${code.slice(8)}`);
  expect(await useCode(ada, code)).toEqual({ status: 'confirmed' });
  expect((await membershipOf(ada)).evidence).toMatchObject([{ kind: 'roster-email' }]);
  await archive.pool.query(
    `update membership_codes set used_at = null, used_by = null, expires_at = created_at where entry_id = $1`,
    [entryId],
  );
  expect(await refusalOf(ada, code)).toBe('membership/wrong-code');
});

test('POST /api/membership/mailed-codes takes the same statements whether or not a code will be mailed', async () => {
  const cases = [
    () => Promise.resolve(),
    (member: Member) => addEntryOf(archive, member, { email: 'mailed@mail.example' }),
    (member: Member) => addEntryOf(archive, member, { email: 'mailed@mail.example', birth_date: '1950-01-01' }),
    (member: Member) => addEntryOf(archive, member, { email: 'mailed@mail.example', is_confidential: true }),
  ];
  const seen = [];
  for (const prepare of cases) {
    const member = await archive.createMember(namesake);
    await prepare(member);
    const statements = recordStatements();
    const { statusCode } = await member.device.ask('POST /api/membership/mailed-codes', { body: claimOf(member) });
    seen.push({ statusCode, statements: statements() });
  }
  for (const one of seen) expect(one).toEqual({ ...seen[0], statusCode: 204 });
  await archive.runJobs();
});

test('a mailed code works only for the account that requested it, because the mailbox may have another owner', async () => {
  const [ada, heir] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  await addEntryOf(archive, ada, { email: 'reused@campus.example' });
  await ada.device.call('POST /api/membership/mailed-codes', { body: claimOf(ada) });
  await archive.runJobs();
  const mail = await archive.inbox.next('reused@campus.example', 'Your code for the alumni archive');
  const code = findLink(mail).pathname.replace('/join/', '');
  expect(await refusalOf(heir, code)).toBe('membership/wrong-code');
  expect(await useCode(ada, code)).toEqual({ status: 'confirmed' });
});

test('a mailed code no longer works when an impostor has claimed the entry, also in another account', async () => {
  const [impostor, second] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  await addEntryOf(archive, impostor, { email: 'taken@mail.example' });
  await second.device.call('POST /api/membership/mailed-codes', { body: claimOf(impostor) });
  await archive.runJobs();
  const { text } = await archive.inbox.next('taken@mail.example', 'Your code for the alumni archive');
  await impostor.device.call('POST /api/membership/claims', { body: claimOf(impostor) });
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
    impostor.uid,
  ]);
  await archive.context.db
    .transaction()
    .execute((tx) =>
      rejectClaim(tx, rows[0]?.id ?? '', { reason: 'Not this person.', isImpostor: true, decidedBy: null }),
    );
  const code = /studied here: (?<code>[\w -]+)/u.exec(text)?.groups?.['code'] ?? '';
  expect(await refusalOf(second, code)).toBe('membership/wrong-code');
});

test('POST /api/membership/mailed-codes mails no code for a confidential entry, and at most three a day to an address', async () => {
  const [ada, ben] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  await addEntryOf(archive, ada, { email: 'confidential@mail.example', is_confidential: true });
  await addEntryOf(archive, ben, { email: 'many@mail.example' });
  await ada.device.call('POST /api/membership/mailed-codes', { body: claimOf(ada) });
  const eve = await archive.createMember();
  for (const { device } of [ben, ben, ben, eve])
    await device.call('POST /api/membership/mailed-codes', { body: claimOf(ben) });
  await archive.runJobs();
  expect(archive.inbox.to('confidential@mail.example')).toEqual([]);
  expect(archive.inbox.to('many@mail.example')).toHaveLength(3);
});

test('POST /api/membership/mailed-codes allows five requests for a matric number in 90 days, from all accounts, also for a repeated date', async () => {
  const ada = await archive.createMember(namesake);
  await addEntryOf(archive, ada, { email: 'guessed@mail.example' });
  const request = async (dob: string) =>
    (await archive.createMember(namesake)).device.ask('POST /api/membership/mailed-codes', {
      body: { ...claimOf(ada), dob },
    });
  for (let day = 11; day < 16; day++) expect((await request(`1990-05-${day}`)).statusCode).toBe(204);
  for (let tries = 0; tries < 2; tries++)
    expect((await request(claimOf(ada).dob)).json()).toMatchObject({ code: 'auth/too-many-requests' });
  await archive.runJobs();
  expect(archive.inbox.to('guessed@mail.example')).toEqual([]);
});

test('POST /api/membership/mailed-codes allows three requests of an account in 90 days, which leaves requests to the person', async () => {
  const [eve, ada] = [await archive.createMember(), await archive.createMember()];
  await addEntryOf(archive, ada, { email: 'left@mail.example' });
  const request = ({ device }: Member, dob = claimOf(ada).dob) =>
    device.ask('POST /api/membership/mailed-codes', { body: { ...claimOf(ada), dob } });
  for (let day = 11; day < 14; day++) expect((await request(eve, `1990-05-${day}`)).statusCode).toBe(204);
  await archive.advanceTime('2 days');
  for (let tries = 0; tries < 4; tries++) expect((await request(eve, '1990-05-14')).statusCode).toBe(429);
  expect((await request(ada)).statusCode).toBe(204);
  await archive.runJobs();
  expect(archive.inbox.to('left@mail.example')).toHaveLength(1);
});

test('three refused requests for a mailed code for one matric number mail staff once, and a printed code still confirms', async () => {
  const registrar = await createStaff(archive, 'registrar');
  const ada = await archive.createMember();
  const entryId = await addEntryOf(archive, ada);
  const request = ({ device }: Member) => device.ask('POST /api/membership/mailed-codes', { body: claimOf(ada) });
  for (let sent = 0; sent < 5; sent++) await request(await archive.createMember());
  const notices = () =>
    archive.inbox.to(registrar.email).filter(({ subject }) => subject.startsWith('Too many requests for a code'));
  for (const mailed of [0, 0, 1, 1]) {
    expect((await request(await archive.createMember())).statusCode).toBe(429);
    await archive.runJobs();
    expect(notices()).toHaveLength(mailed);
  }
  expect(await useCode(ada, await printCode(archive, entryId))).toEqual({ status: 'confirmed' });
});

async function takeNotice(address: string): Promise<string> {
  await archive.runJobs();
  const mail = await archive.inbox.next(address, 'An account in the alumni archive was confirmed as you');
  expect(findLink(mail).pathname).toBe('/not-you');
  return findLink(mail).searchParams.get('code') ?? '';
}

const report = (code: string, text?: string) =>
  archive.openDevice().ask('POST /api/membership/disputes', { body: { code, ...(text !== undefined && { text }) } });

test('POST /api/membership/disputes disputes an account with moderate evidence, without a session', async () => {
  const { member: impostor, entryId } = await createKnown({ email: 'real@mail.example' });
  const code = await takeNotice('real@mail.example');
  expect((await report('wrong')).json()).toMatchObject({ code: 'not-found' });
  for (let presses = 0; presses < 2; presses++) expect((await report(code, 'I am Ada')).statusCode).toBe(204);
  expect(await disputesOf(entryId)).toEqual([{ holder: impostor.uid, claimant: null, text: 'I am Ada' }]);
  expect(await membershipOf(impostor)).toMatchObject({ status: 'disputed' });
  const ada = await archive.createMember(namesake);
  expect(await useCode(ada, await printCode(archive, entryId))).toEqual({ status: 'confirmed' });
  const { rows } = await archive.pool.query('select account_id from roster_links where entry_id = $1', [entryId]);
  expect(rows).toEqual([{ account_id: ada.uid }]);
});

test('a contested entry stays with staff when the reported person deletes the account and signs up again', async () => {
  const { member: impostor, entryId } = await createKnown({ email: 'asked@mail.example' });
  expect((await report(await takeNotice('asked@mail.example'))).statusCode).toBe(204);
  await impostor.device.call('DELETE /api/identity/account');
  expect(await disputesOf(entryId)).toEqual([]);
  const again = await archive.createMember(namesake, { name: impostor.document.name });
  const claim = claimOf(impostor);
  expect(await again.device.call('POST /api/membership/claims', { body: claim })).toEqual({ status: 'waiting' });
  expect(await membershipOf(again)).toMatchObject({ status: 'unconfirmed', isWaiting: true });
});

test('POST /api/membership/disputes leaves an account with strong evidence to staff, and ignores a notice about an earlier account', async () => {
  const { member: first, entryId } = await createKnown({ email: 'other@mail.example' });
  const old = await takeNotice('other@mail.example');
  const ada = await archive.createMember(namesake);
  await useCode(ada, await printCode(archive, entryId));
  expect((await report(old)).statusCode).toBe(204);
  expect(await membershipOf(ada)).toMatchObject({ status: 'confirmed' });
  expect(await disputesOf(entryId)).toEqual([{ holder: ada.uid, claimant: first.uid, text: '' }]);
  expect((await report(await takeNotice('other@mail.example'))).statusCode).toBe(204);
  expect(await membershipOf(ada)).toMatchObject({ status: 'confirmed' });
  expect(await disputesOf(entryId)).toHaveLength(2);
});

test('no notice goes to the address of an entry if it is the address of the account', async () => {
  const ada = await archive.createMember(namesake);
  await addEntryOf(archive, ada, { email: ada.email });
  await ada.device.call('POST /api/membership/claims', { body: claimOf(ada) });
  await archive.runJobs();
  expect(archive.inbox.to(ada.email).map(({ subject }) => subject)).not.toContain(
    'An account in the alumni archive was confirmed as you',
  );
});

test('no notice goes to the address of an entry that the account gives back before it is mailed', async () => {
  const ada = await archive.createMember(namesake);
  await useCode(ada, await printCode(archive, await addEntryOf(archive, ada, { email: 'given-back@mail.example' })));
  await ada.device.call('DELETE /api/membership/evidence');
  await archive.runJobs();
  expect(archive.inbox.to('given-back@mail.example')).toEqual([]);
});
