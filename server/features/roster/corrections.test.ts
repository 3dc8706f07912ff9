import { strFromU8, unzipSync } from 'fflate';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { CorrectionForm } from '#contract/staff/corrections.ts';
import { suppressEntry } from '#server/domain/roster/import/suppress-entry.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntry } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let representative: Member;
let registrar: Member;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
  representative = await createStaff(archive, 'class-representative', {
    department: 'Physics',
    yearFrom: 2014,
    yearTo: 2015,
  });
  registrar = await createStaff(archive, 'registrar');
});
afterEach(() => archive.close());

const addClassmate = (values: Parameters<typeof addEntry>[1] = {}) =>
  addEntry(archive, { department: 'Physics', year_graduated: 2014, ...values });
const findClass = ({ device }: Member, department = 'Physics', year = 2014) =>
  device.ask('GET /api/staff/classes', { query: { department, year } });
const propose = ({ device }: Member, correction: CorrectionForm) =>
  device.ask('POST /api/staff/corrections', { body: { correction } });

async function proposeOne(body: CorrectionForm, by = representative): Promise<string> {
  const answer = await propose(by, body);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json<{ id: string }>().id;
}

async function decide(id: string, outcome: 'accept' | 'refuse', text = '', by = registrar) {
  const { version } = await by.device.call('GET /api/staff/corrections/{id}', { params: { id } });
  await by.device.call('POST /api/staff/queue/{kind}/{id}/decision', {
    params: { kind: 'correction', id },
    body: { decision: { outcome, text }, version },
  });
  await archive.advanceTime('31 seconds');
  await archive.runJobs();
}

const readEntry = async (id: number) =>
  (await archive.pool.query<Record<string, unknown>>('select * from roster_entries where id = $1', [id])).rows[0];
const findRecords = async () =>
  (
    await archive.pool.query<{ actor: string; action: string }>(
      `select actor, action from audit_records where subject_kind = 'correction' order by id`,
    )
  ).rows;

test('staff see the names of a class in their scope, and whether each has an account, but no numbers and dates', async () => {
  const id = await addClassmate({ last_name: 'Bello', birth_date: '1990-02-03', email: 'bello@mail.example' });
  await linkEntry(archive.context.db, id, registrar.uid);
  await addClassmate({ last_name: 'Abiola' });
  await addClassmate({ last_name: 'Hidden', is_confidential: true });
  await addClassmate({ last_name: 'Died', is_deceased: true });
  await addClassmate({ last_name: 'Gone', gone_since: 1 });
  const answer = await findClass(representative);
  const classmate = { firstName: 'Ada', otherNames: '', hasCorrection: false };
  expect(answer.json()).toEqual({
    entries: [
      { ...classmate, id: expect.any(Number) as number, lastName: 'Abiola', hasAccount: false },
      { ...classmate, id, lastName: 'Bello', hasAccount: true },
    ],
    hasMore: false,
  });
  await findClass(representative);
  const { rows } = await archive.pool.query(
    `select subject, details from audit_records where actor = $1 and action = 'class-read'`,
    [representative.uid],
  );
  expect(rows).toEqual([{ subject: '2014-physics', details: { department: 'physics', year: 2014 } }]);
});

test('a class outside the scope is not found, and nothing can be proposed about it', async () => {
  const later = await addClassmate({ year_graduated: 2016 });
  const other = await addClassmate({ department: 'Chemistry' });
  expect((await findClass(representative, 'Physics', 2016)).statusCode).toBe(404);
  expect((await findClass(representative, 'Chemistry')).statusCode).toBe(404);
  expect((await findClass(registrar, 'Chemistry')).statusCode).toBe(200);
  for (const entryId of [later, other])
    expect((await propose(representative, { reason: 'deceased', entryId })).statusCode).toBe(404);
  const moderator = await createStaff(archive, 'moderator');
  expect((await findClass(moderator)).json<Problem>().code).toBe('permission-denied');
  const law = await createStaff(archive, 'registrar', { college: 'COHUM' });
  const id = await proposeOne({ reason: 'deceased', entryId: await addClassmate() });
  expect(await law.device.code('GET /api/staff/corrections/{id}', { params: { id } })).toBe('not-found');
  expect((await law.device.call('GET /api/staff/queue', { query: {} })).items).toEqual([]);
  expect((await registrar.device.call('GET /api/staff/queue', { query: {} })).items).toMatchObject([
    { kind: 'correction', id, name: 'Okafor Ada', reason: 'deceased' },
  ]);
  expect(await representative.device.code('GET /api/staff/corrections/{id}', { params: { id } })).toBe(
    'permission-denied',
  );
});

test('an accepted correction changes the entry, is recorded once like its read, and a later import compares all values again', async () => {
  const entryId = await addClassmate({ college: 'COSIT' });
  await decide(await proposeOne({ reason: 'deceased', entryId, text: 'We were at the funeral.' }), 'accept');
  expect(await readEntry(entryId)).toMatchObject({ is_deceased: true });
  expect(await findRecords()).toEqual([
    { actor: representative.uid, action: 'correction-proposed' },
    { actor: registrar.uid, action: 'correction-read' },
    { actor: registrar.uid, action: 'correction-accepted' },
  ]);
  const second = await addClassmate({ college: 'COSIT' });
  const wrongClass = { reason: 'wrong-class', entryId: second, department: 'English', yearGraduated: 2013 } as const;
  const wrongName = {
    reason: 'wrong-name',
    entryId: second,
    lastName: 'Ọkọ́',
    firstName: 'Ada',
    otherNames: 'Uju',
  } as const;
  const [classId, nameId] = [await proposeOne(wrongClass), await proposeOne(wrongName)];
  await decide(nameId, 'accept');
  await decide(classId, 'accept');
  const changed = await readEntry(second);
  expect(changed).toMatchObject({
    last_name: 'Ọkọ́',
    other_names: 'Uju',
    department: 'English',
    year_graduated: 2013,
    college: null,
  });
  expect(changed?.['words']).toEqual(expect.arrayContaining(['oko', 'uju']));
});

test('a refused or other correction changes nothing, and its proposer reads the answer', async () => {
  const entryId = await addClassmate();
  const before = await readEntry(entryId);
  const refused = await proposeOne({ reason: 'deceased', entryId });
  expect((await propose(representative, { reason: 'deceased', entryId })).json<Problem>().detail).toBe(
    'The same correction for this person is already in the review queue.',
  );
  await decide(refused, 'refuse', 'The person called us today.');
  await decide(await proposeOne({ reason: 'other', entryId, text: 'Lives abroad.' }), 'accept');
  expect(await readEntry(entryId)).toEqual(before);
  expect((await representative.device.call('GET /api/staff/corrections')).corrections).toMatchObject([
    { reason: 'other', outcome: 'accept', answer: '', name: 'Okafor Ada' },
    { reason: 'deceased', outcome: 'refuse', answer: 'The person called us today.' },
  ]);
  expect((await registrar.device.call('GET /api/staff/corrections')).corrections).toEqual([]);
  expect((await findRecords()).map(({ action }) => action)).toEqual([
    'correction-proposed',
    'correction-read',
    'correction-refused',
    'correction-proposed',
    'correction-read',
    'correction-accepted',
  ]);
});

test('a refusal without a reason returns to the queue', async () => {
  const id = await proposeOne({ reason: 'deceased', entryId: await addClassmate() });
  await decide(id, 'refuse');
  const { items } = await registrar.device.call('GET /api/staff/queue', { query: {} });
  expect(items).toMatchObject([{ id, failure: 'Write a reason for the person who proposed it.', decision: null }]);
});

test('an objection of the person deletes the corrections about them', async () => {
  const entryId = await addClassmate();
  await proposeOne({ reason: 'other', entryId, text: 'Lives abroad.' });
  await archive.context.db.transaction().execute((tx) => suppressEntry(tx, entryId));
  expect((await archive.pool.query('select from corrections')).rowCount).toBe(0);
});

test('a correction is in the data of who proposed it, without the name of the person', async () => {
  await proposeOne({ entryId: await addClassmate(), reason: 'other', text: 'Lives abroad.' });
  const zip = await representative.device.ask('GET /api/users/{id}/export', { params: { id: representative.uid } });
  const files = unzipSync(zip.rawPayload);
  const account = strFromU8(files['account.json'] ?? new Uint8Array());
  expect(JSON.parse(account)).toMatchObject({
    proposedCorrections: [{ reason: 'other', text: 'Lives abroad.', outcome: null }],
  });
  expect(account).not.toContain('Okafor');
  expect(JSON.parse(strFromU8(files['membership.json'] ?? new Uint8Array()))).toMatchObject({
    staffRoles: [{ role: 'class-representative', department: 'Physics' }],
  });
});

test('the list of own corrections has no name of a person who is no longer in the scope', async () => {
  await proposeOne({ entryId: await addClassmate(), reason: 'deceased' });
  const names = async () =>
    (await representative.device.call('GET /api/staff/corrections')).corrections.map(({ name }) => name);
  expect(await names()).toEqual(['Okafor Ada']);
  await archive.pool.query(`update staff_roles set department = 'Botany' where account_id = $1`, [representative.uid]);
  expect(await names()).toEqual([null]);
});
