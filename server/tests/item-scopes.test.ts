import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ReviewKind } from '#contract/staff-values.ts';
import { type Member, type TestArchive, openArchive } from '../testing/archive.ts';
import { addEntryOf, enterConfirmedMode } from '../testing/membership.ts';
import { createStaff } from '../testing/staff.ts';

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

test('a report stays with the moderator of the class that the person had when it was sent', async () => {
  const [subject, moderator] = [
    await archive.createMember(physics),
    await createStaff(archive, 'moderator', { college: 'COSIT' }),
  ];
  await archive.pool.query(`insert into reports (kind, subject_id, reason) values ('profile', $1, 'other')`, [
    subject.uid,
  ]);
  expect(await itemsOf(moderator, 'report')).toHaveLength(1);
  await moveTo(subject, english);
  const [item] = await itemsOf(moderator, 'report');
  expect(item).toBeDefined();
  await moderator.device.call('GET /api/staff/reports/{id}', { params: { id: item?.id ?? '' } });
});

test('a claim belongs to the registrar of the entry with its matric number, whatever class the profile has', async () => {
  const [own, other] = [
    await createStaff(archive, 'registrar', { college: 'COSIT' }),
    await createStaff(archive, 'registrar', { college: 'COHUM' }),
  ];
  const claimant = await archive.createMember({ ...physics, ...english });
  await addEntryOf(archive, claimant, { college: 'COSIT', department: 'Physics', birth_date: '1950-02-03' });
  await claim(claimant);
  expect([await itemsOf(own, 'claim'), await itemsOf(other, 'claim')]).toMatchObject([[{ kind: 'claim' }], []]);
});

test('confirming without an entry needs the whole institution or the department', async () => {
  const [ofCollege, unlimited] = [
    await createStaff(archive, 'registrar', { college: 'COSIT' }),
    await createStaff(archive, 'registrar'),
  ];
  // The claimant chose the college of a registrar, which has no such department.
  await claim(await archive.createMember({ ...physics, department: 'English' }));
  const item = (await itemsOf(ofCollege, 'claim')).at(-1);
  const input = {
    params: { kind: 'claim', id: item?.id ?? '' },
    body: { version: item?.version ?? '', decision: { outcome: 'confirm', entryId: null, seen: 'ID card' } },
  } as const;
  expect(await ofCollege.device.code('POST /api/staff/queue/{kind}/{id}/decision', input)).toBe('not-found');
  await unlimited.device.call('POST /api/staff/queue/{kind}/{id}/decision', input);
});
