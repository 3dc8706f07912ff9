import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntryOf, confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';
import { makeStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

let departments = 0;

async function createClass() {
  const study = { department: `Faculty ${++departments}`, yearGraduated: 2015, yearAdmitted: 2010 };
  const create = () => archive.createMember(study, { dob: '1992-05-17' });
  const [ada, ben, eve, claimant] = [await create(), await create(), await create(), await create()];
  for (const member of [ada, ben, eve]) await confirmMember(archive, member, { age: '8 days' });
  return { ada, ben, eve, claimant };
}

async function vouch({ device }: Member, claimant: Member): Promise<number> {
  const { url } = await claimant.device.call('POST /api/membership/vouch-link');
  const params = { code: url.split('/').at(-1) ?? '' };
  const { version } = await device.call('GET /api/membership/vouch-links/{code}', { params });
  const body = { answer: 'yes' as const, version };
  return (await device.ask('PUT /api/membership/vouch-links/{code}', { params, body })).statusCode;
}

const membershipOf = ({ device }: Member) => device.call('GET /api/membership');
const save = ({ device, uid, document }: Member, change: Partial<Member['document']>) =>
  device.call('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, ...change, version: 'any' } });
const claim = ({ device }: Member, { document: { academic, dob } }: Member) =>
  device.call('POST /api/membership/claims', { body: { matricNumber: academic.matricNumber, dob } });
const holdsEntry = async ({ uid }: Member) =>
  (await archive.pool.query('select from roster_links where account_id = $1', [uid])).rowCount === 1;

test('a vouch counts only for the name and class that the member saw, and records them', async () => {
  const { ada, ben, claimant } = await createClass();
  const { name, academic } = claimant.document;
  await vouch(ada, claimant);
  await save(claimant, { name: { ...name, first: 'Chidinma' } });
  expect((await membershipOf(claimant)).vouching.received).toBe(0);
  // Taking the name back does not bring the vouch back.
  await save(claimant, {});
  expect((await membershipOf(claimant)).vouching.received).toBe(0);
  await vouch(ben, claimant);
  expect((await membershipOf(claimant)).status).toBe('unconfirmed');
  await save(claimant, { name: { ...name, first: name.first.toUpperCase(), middle: 'Ifeoma' } });
  expect((await membershipOf(claimant)).vouching.received).toBe(1);
  await vouch(ada, claimant);
  expect((await membershipOf(claimant)).status).toBe('confirmed');
  const seen = { lastName: name.last, department: academic.department, yearGraduated: 2015 };
  const { rows } = await archive.pool.query('select seen from confirmed_identities where account_id = $1', [
    claimant.uid,
  ]);
  expect(rows).toEqual([
    { seen: expect.arrayContaining([expect.objectContaining(seen), expect.objectContaining(seen)]) as unknown },
  ]);
});

test('a vouch does not count for another name, however the profile got it', async () => {
  const { ada, ben, claimant } = await createClass();
  await vouch(ada, claimant);
  await archive.pool.query(`update profiles set last_name = 'Zubair' where account_id = $1`, [claimant.uid]);
  expect((await membershipOf(claimant)).vouching.received).toBe(0);
  await vouch(ben, claimant);
  expect((await membershipOf(claimant)).status).toBe('unconfirmed');
});

test('a claim in another name is closed with the name, and two vouches link no entry', async () => {
  const { ada, ben, claimant } = await createClass();
  const victim = await archive.createMember();
  await addEntryOf(archive, victim);
  await addEntryOf(archive, claimant);
  await save(claimant, { name: victim.document.name });
  await claim(claimant, victim);
  await save(claimant, {});
  expect(await membershipOf(claimant)).toMatchObject({ isWaiting: false, claim: { state: 'withdrawn' } });
  await vouch(ada, claimant);
  await vouch(ben, claimant);
  expect(await membershipOf(claimant)).toMatchObject({ status: 'confirmed', evidence: [{ kind: 'peer-vouch' }] });
  expect(await holdsEntry(claimant)).toBe(false);
});

test('vouches do not reveal whether an entry exists, is claimed or needs staff', async () => {
  const { ada, ben, claimant } = await createClass();
  await addEntryOf(archive, claimant, { is_deceased: true });
  await vouch(ada, claimant);
  await vouch(ben, claimant);
  expect((await membershipOf(claimant)).status).toBe('confirmed');
});

test('after a withdrawal no earlier vouch counts', async () => {
  const { ada, ben, eve, claimant } = await createClass();
  await vouch(ada, claimant);
  await vouch(ben, claimant);
  expect((await membershipOf(claimant)).status).toBe('confirmed');
  await claimant.device.call('DELETE /api/membership/evidence');
  expect((await membershipOf(claimant)).vouching.received).toBe(0);
  await vouch(eve, claimant);
  expect((await membershipOf(claimant)).status).toBe('unconfirmed');
  await claim(claimant, claimant);
  await claimant.device.call('DELETE /api/membership/claims');
  expect((await membershipOf(claimant)).vouching.received).toBe(0);
});

test('the vouch of a class representative needs the claimed department and year in the scope, and links no entry', async () => {
  const { ada, claimant } = await createClass();
  const { department } = claimant.document.academic;
  await makeStaff(archive, ada, 'class-representative', { department, yearFrom: 2013, yearTo: 2014 });
  await addEntryOf(archive, claimant, { department: 'Another department' });
  await claim(claimant, claimant);
  expect(await vouch(ada, claimant)).toBe(204);
  expect((await membershipOf(claimant)).status).toBe('unconfirmed');
  const setScope = (ofDepartment: string) =>
    archive.pool.query('update staff_roles set department = $2, year_to = 2016 where account_id = $1', [
      ada.uid,
      ofDepartment,
    ]);
  await setScope('Another department');
  expect(await vouch(ada, claimant)).toBe(204);
  expect((await membershipOf(claimant)).status).toBe('unconfirmed');
  await setScope(department);
  expect(await vouch(ada, claimant)).toBe(204);
  expect((await membershipOf(claimant)).status).toBe('confirmed');
  expect(await holdsEntry(claimant)).toBe(false);
});

test('a member who opens the link sees whose it is, and since when the account exists', async () => {
  const { ada, claimant } = await createClass();
  const { url } = await claimant.device.call('POST /api/membership/vouch-link');
  const params = { code: url.split('/').at(-1) ?? '' };
  const { first } = claimant.document.name;
  expect(await ada.device.call('GET /api/membership/vouch-links/{code}', { params })).toMatchObject({
    firstName: first,
    accountCreatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) as string,
  });
});
