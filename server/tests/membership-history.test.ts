import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntryOf, enterConfirmedMode } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let registrar: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  registrar = await createStaff(archive, 'registrar');
});
afterAll(() => archive.close());

const claim = ({ device, document }: Member, dob = document.dob) =>
  device.call('POST /api/membership/claims', { body: { matricNumber: document.academic.matricNumber, dob } });
const historyOf = async ({ device }: Member, { uid }: Member) =>
  (await device.call('GET /api/staff/people/{id}/membership-history', { params: { id: uid } })).events;
const findClaim = async ({ uid }: Member) =>
  (
    await archive.pool.query<{ id: string }>(`select id from claims where account_id = $1 order by created_at desc`, [
      uid,
    ])
  ).rows[0]?.id ?? '';

const reopen = (id: string, reason: string) =>
  registrar.device.call('POST /api/staff/queue/{kind}/{id}/reopen', {
    params: { kind: 'claim', id },
    body: { reason },
  });

async function decide(id: string, decision: object): Promise<void> {
  const params = { kind: 'claim' as const, id };
  const { item } = await registrar.device.call('GET /api/staff/queue/{kind}/{id}', { params });
  await registrar.device.ask('POST /api/staff/queue/{kind}/{id}/decision', {
    params,
    body: { decision: decision as never, version: item.version },
  });
  await archive.advanceTime('31 seconds');
  await archive.runJobs();
}

test('staff read every attempt, who confirmed what, and what they saw, also after the decision', async () => {
  const ada = await archive.createMember({}, { dob: '1992-05-17' });
  const entryId = await addEntryOf(archive, ada);
  await claim(ada, '1990-02-03');
  await ada.device.call('POST /api/membership/mailed-codes', {
    body: { matricNumber: 'CSC/1', dob: '1990-02-03' },
  });
  await claim(ada);
  const id = await findClaim(ada);
  await decide(id, { outcome: 'reject', reason: 'Please come to the office.', isImpostor: true });
  const events = await historyOf(registrar, ada);
  const { rows: reads } = await archive.pool.query('select action, actor from audit_records where subject = $1', [
    ada.uid,
  ]);
  expect(reads).toEqual([{ action: 'person-file-read', actor: registrar.uid }]);
  const by = registrar.document.name.last;
  expect(events.filter(({ kind }) => kind === 'attempt')).toMatchObject([
    { way: 'claim', birthDate: 'changed', typed: { matricNumber: ada.document.academic.matricNumber } },
    { way: 'mailed-code', birthDate: 'same', typed: { matricNumber: 'CSC/1' } },
    { way: 'claim', birthDate: 'first' },
  ]);
  expect(JSON.stringify(events)).not.toMatch(/1992-05-17|1990-02-03/u);
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'impostor', by: expect.stringContaining(by) as string, cleared: null }),
  );
  expect(events).toContainEqual(
    expect.objectContaining({
      kind: 'decision',
      claimId: id,
      state: 'rejected',
      reason: 'Please come to the office.',
      by: expect.stringContaining(by) as string,
    }),
  );

  const { id: again } = await reopen(id, 'She came with her certificate.');
  await registrar.device.call('POST /api/staff/people/{id}/impostor-clearance', {
    params: { id: ada.uid },
    body: { reason: 'saw-document' },
  });
  await decide(again, { outcome: 'confirm', entryId, seen: 'Certificate' });
  const later = await historyOf(registrar, ada);
  expect(later.filter(({ kind }) => kind === 'attempt')).toHaveLength(3);
  expect(later).toContainEqual(expect.objectContaining({ kind: 'decision', claimId: id, state: 'rejected' }));
  expect(later).toContainEqual(
    expect.objectContaining({
      kind: 'evidence',
      evidence: 'staff-review',
      detail: 'Certificate',
      entry: {
        matricNumber: ada.document.academic.matricNumber,
        name: `${ada.document.name.last} ${ada.document.name.first}`,
      },
    }),
  );
  expect(later).toContainEqual(
    expect.objectContaining({
      kind: 'reopened',
      by: expect.stringContaining(by) as string,
      reason: 'She came with her certificate.',
    }),
  );
  expect(later).toContainEqual(
    expect.objectContaining({
      kind: 'impostor',
      cleared: { at: expect.any(String) as string, by: expect.stringContaining(by) as string, reason: 'saw-document' },
    }),
  );
  const { membership } = await registrar.device.call('GET /api/staff/people/{id}', { params: { id: ada.uid } });
  expect(membership).toMatchObject({
    impostor: null,
    entries: [
      {
        matricNumber: ada.document.academic.matricNumber,
        name: `${ada.document.name.last} ${ada.document.name.first}`,
      },
    ],
  });
});

test('a moderator reads beside a report earlier rejections and impostor marks, but neither what was typed nor notes', async () => {
  const [moderator, ada] = [await createStaff(archive, 'moderator'), await archive.createMember()];
  await addEntryOf(archive, ada);
  await claim(ada);
  const id = await findClaim(ada);
  await decide(id, { outcome: 'reject', reason: 'Not on our list.', isImpostor: true });
  await reopen(id, 'Her matric number is on the old list.');
  const events = await historyOf(moderator, ada);
  expect(events.map(({ kind }) => kind).toSorted()).toEqual(['decision', 'impostor', 'reopened']);
  expect(events).toContainEqual(expect.objectContaining({ kind: 'decision', state: 'rejected' }));
  expect(JSON.stringify(events)).not.toContain('old list');
});

test('staff out of scope read no history', async () => {
  const ada = await archive.createMember({ college: 'COSIT', department: 'Physics' });
  const limited = await createStaff(archive, 'registrar', { college: 'COHUM' });
  const params = { id: ada.uid };
  expect(await limited.device.code('GET /api/staff/people/{id}/membership-history', { params })).toBe('not-found');
});

test('a claimant who chooses another college does not hide earlier attempts from the registrar of the claim', async () => {
  const ada = await archive.createMember({ college: 'COSIT', department: 'Physics' }, { dob: '1992-05-17' });
  await claim(ada, '1990-02-03');
  await claim(ada);
  const { academic } = ada.document;
  await ada.device.call('PUT /api/users/{id}', {
    params: { id: ada.uid },
    body: { ...ada.document, imgURL: null, academic: { ...academic, college: 'COHUM' } },
  });
  const limited = await createStaff(archive, 'registrar', { college: 'COSIT' });
  expect(await historyOf(limited, ada)).toMatchObject([
    { kind: 'attempt', birthDate: 'changed' },
    { kind: 'attempt', birthDate: 'first' },
  ]);
});
