import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ReviewDecision } from '#contract/staff/review.ts';
import type { ReviewKind } from '#contract/staff/values.ts';
import { openDispute } from '#server/domain/membership/confirmations.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntry, addEntryOf, confirmMember, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';

/* Who may decide an item is fixed when it opens. */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

const physics = { college: 'COSIT', department: 'Physics', yearAdmitted: 2006, yearGraduated: 2010 };
const english = { college: 'COHUM', department: 'English' };
const itemsOf = async ({ device }: Member, kind: ReviewKind) =>
  (await device.call('GET /api/staff/queue', { query: { kind } })).items;
const moveTo = ({ device, uid, document }: Member, place: Partial<Member['document']['academic']>) =>
  device.call('PUT /api/users/{id}', {
    params: { id: uid },
    body: { ...document, imgURL: null, academic: { ...document.academic, ...place } },
  });
const claim = ({ device, document }: Member) =>
  device.call('POST /api/membership/claims', {
    body: { matricNumber: document.academic.matricNumber, dob: document.dob },
  });

async function createOffices(role: 'registrar' | 'moderator') {
  const [science, humanities] = [
    await createStaff(archive, role, { college: 'COSIT' }),
    await createStaff(archive, role, { college: 'COHUM' }),
  ];
  const namesOf = async (kind: ReviewKind) => ({
    science: (await itemsOf(science, kind)).map(({ name }) => name),
    humanities: (await itemsOf(humanities, kind)).map(({ name }) => name),
  });
  return { science, humanities, namesOf };
}
const nameOf = ({ document: { name } }: Member) => `${name.last} ${name.first}`;

test('a report stays with the moderator of the class that the person had when it was sent', async () => {
  const [subject, reporter, { science, namesOf }] = [
    await archive.createMember(physics),
    await archive.createMember(),
    await createOffices('moderator'),
  ];
  await confirmMember(archive, subject);
  await confirmMember(archive, reporter);
  await reporter.device.call('POST /api/reports/{kind}/{id}', {
    params: { kind: 'profile', id: subject.uid },
    body: { reason: 'other', text: 'Asks for money' },
  });
  expect(await namesOf('report')).toEqual({ science: [nameOf(subject)], humanities: [] });
  await subject.device.call('DELETE /api/membership/evidence');
  await moveTo(subject, english);
  expect(await namesOf('report')).toEqual({ science: [nameOf(subject)], humanities: [] });
  const [item] = await itemsOf(science, 'report');
  await science.device.call('GET /api/staff/reports/{id}', { params: { id: item?.id ?? '' } });
});

test.each([
  ['has no college', null],
  ['names the college in another way', 'Faculty of Science'],
])('a claim belongs to the registrar of the department of its entry, whose row %s', async (_, college) => {
  const { namesOf } = await createOffices('registrar');
  const claimant = await archive.createMember({ ...physics, ...english });
  await addEntryOf(archive, claimant, { college, department: 'Physics', birth_date: '1950-02-03' });
  await claim(claimant);
  const { science, humanities } = await namesOf('claim');
  expect([science.includes(nameOf(claimant)), humanities.includes(nameOf(claimant))]).toEqual([true, false]);
});

test('a claim without an entry belongs to the registrar of the department in the profile, whatever college it names', async () => {
  const { namesOf } = await createOffices('registrar');
  const claimant = await archive.createMember({ ...physics, department: 'English' });
  await claim(claimant);
  const { science, humanities } = await namesOf('claim');
  expect([science.includes(nameOf(claimant)), humanities.includes(nameOf(claimant))]).toEqual([false, true]);
});

test('a claim stays with its registrar when the claimant sends it again for an entry of another department', async () => {
  const { namesOf } = await createOffices('registrar');
  const claimant = await archive.createMember({ ...physics, ...english });
  await claim(claimant);
  await addEntryOf(archive, claimant, { department: 'Physics', birth_date: '1950-02-03' });
  await claim(claimant);
  const { science, humanities } = await namesOf('claim');
  expect([science.includes(nameOf(claimant)), humanities.includes(nameOf(claimant))]).toEqual([false, true]);
});

test('a dispute and a change belong to the registrar of the entry, which has no college', async () => {
  const { namesOf } = await createOffices('registrar');
  const holder = await archive.createMember({ ...physics, college: 'COHUM' });
  const entryId = await addEntryOf(archive, holder);
  await holder.device.call('POST /api/membership/codes', { body: { code: await printCode(archive, entryId) } });
  await moveTo(holder, english);
  expect(await namesOf('change')).toEqual({ science: [nameOf(holder)], humanities: [] });
  await archive.context.db
    .transaction()
    .execute((tx) => openDispute(tx, { entryId, holderId: holder.uid, claimantId: null }));
  expect(await namesOf('dispute')).toEqual({ science: [nameOf(holder)], humanities: [] });
});

test('a correction stays with the registrar of the class that the entry had when it was proposed', async () => {
  const { science, namesOf } = await createOffices('registrar');
  const proposer = await createStaff(archive, 'registrar');
  const entryId = await addEntry(archive, { department: 'Physics' });
  const { id } = await proposer.device.call('POST /api/staff/corrections', {
    body: { correction: { reason: 'other', entryId, text: 'Lives abroad.' } },
  });
  expect(await namesOf('correction')).toEqual({ science: ['Okafor Ada'], humanities: [] });
  await archive.pool.query(`update roster_entries set department = 'English', year_graduated = 1999 where id = $1`, [
    entryId,
  ]);
  expect(await namesOf('correction')).toEqual({ science: ['Okafor Ada'], humanities: [] });
  await science.device.call('GET /api/staff/corrections/{id}', { params: { id } });
});

test('confirming without an entry needs the whole institution or the department', async () => {
  const { humanities } = await createOffices('registrar');
  const unlimited = await createStaff(archive, 'registrar');
  const confirm = async ({ device }: Member, claimant: Member) => {
    const { items } = await device.call('GET /api/staff/queue', { query: { kind: 'claim', limit: 50 } });
    const item = items.find(({ name }) => name === nameOf(claimant));
    expect(item).toBeDefined();
    const answer = await device.ask('POST /api/staff/queue/{kind}/{id}/decision', {
      params: { kind: 'claim', id: item?.id ?? '' },
      body: { version: item?.version ?? '', decision: { outcome: 'confirm', entryId: null, seen: 'ID card' } },
    });
    return answer.statusCode;
  };
  const [known, unknown] = [
    await archive.createMember({ ...physics, ...english }),
    // The claimant chose the college of a registrar, which has no such department.
    await archive.createMember({ ...physics, ...english, department: 'Heraldry' }),
  ];
  await claim(known);
  await claim(unknown);
  expect(await confirm(humanities, known)).toBe(200);
  expect(await confirm(humanities, unknown)).toBe(404);
  expect(await confirm(unlimited, unknown)).toBe(200);
});

async function decideAbout(staff: Member, kind: ReviewKind, person: Member, decision: ReviewDecision) {
  const { items } = await staff.device.call('GET /api/staff/queue', { query: { kind, person: person.uid } });
  const { id = '', version = '' } = items[0] ?? {};
  const params = { kind, id };
  const answer = await staff.device.ask('POST /api/staff/queue/{kind}/{id}/decision', {
    params,
    body: { version, decision },
  });
  return answer.statusCode;
}

test('confirming without an entry needs the department of the profile', async () => {
  const { science } = await createOffices('registrar');
  const claimant = await archive.createMember({ ...physics, ...english });
  await addEntryOf(archive, claimant, { department: 'Physics', birth_date: '1950-02-03' });
  await claim(claimant);
  const confirm = { outcome: 'confirm', entryId: null, seen: 'ID card' } as const;
  expect(await decideAbout(science, 'claim', claimant, confirm)).toBe(404);
  expect(await decideAbout(await createStaff(archive, 'registrar'), 'claim', claimant, confirm)).toBe(200);
});

test('deciding a dispute needs the department that its entry has now', async () => {
  const { science } = await createOffices('registrar');
  const holder = await archive.createMember(physics);
  const entryId = await addEntryOf(archive, holder);
  await holder.device.call('POST /api/membership/codes', { body: { code: await printCode(archive, entryId) } });
  await archive.context.db
    .transaction()
    .execute((tx) => openDispute(tx, { entryId, holderId: holder.uid, claimantId: null }));
  await archive.pool.query(`update roster_entries set department = 'English' where id = $1`, [entryId]);
  expect(await decideAbout(science, 'dispute', holder, { outcome: 'keep' })).toBe(404);
  const unlimited = await createStaff(archive, 'registrar');
  expect(await decideAbout(unlimited, 'dispute', holder, { outcome: 'keep' })).toBe(200);
});

test('accepting another department needs that department', async () => {
  const { science } = await createOffices('registrar');
  const member = await archive.createMember(physics);
  await confirmMember(archive, member);
  await moveTo(member, english);
  expect(await decideAbout(science, 'change', member, { outcome: 'accept' })).toBe(404);
  const unlimited = await createStaff(archive, 'registrar');
  expect(await decideAbout(unlimited, 'change', member, { outcome: 'accept' })).toBe(200);

  const neighbor = await archive.createMember(physics);
  await confirmMember(archive, neighbor);
  await moveTo(neighbor, { year: { admitted: 2006, graduated: 2011 } });
  expect(await decideAbout(science, 'change', neighbor, { outcome: 'accept' })).toBe(200);
});

test('accepting a correction of the class needs the department that the entry has, and the proposed one', async () => {
  const { science } = await createOffices('registrar');
  const [unlimited, proposer] = [await createStaff(archive, 'registrar'), await createStaff(archive, 'registrar')];
  const propose = async (department: string) => {
    const correction = {
      reason: 'wrong-class' as const,
      entryId: await addEntry(archive, { department: 'Physics' }),
      department,
      yearGraduated: 2011,
    };
    const { id } = await proposer.device.call('POST /api/staff/corrections', { body: { correction } });
    return { id, entryId: correction.entryId };
  };
  const accept = async ({ device }: Member, { id }: { id: string }) => {
    const params = { kind: 'correction', id } as const;
    const { version } = await device.call('GET /api/staff/corrections/{id}', { params });
    const body = { version, decision: { outcome: 'accept' } as const };
    return (await device.ask('POST /api/staff/queue/{kind}/{id}/decision', { params, body })).statusCode;
  };
  const [within, into, from] = [await propose('Chemistry'), await propose('English'), await propose('Chemistry')];
  await archive.pool.query(`update roster_entries set department = 'English' where id = $1`, [from.entryId]);
  expect(await accept(science, within)).toBe(200);
  for (const correction of [into, from]) {
    expect(await accept(science, correction)).toBe(404);
    expect(await accept(unlimited, correction)).toBe(200);
  }
});
