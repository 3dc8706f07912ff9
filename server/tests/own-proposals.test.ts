import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ReviewDecision } from '#contract/staff/review.ts';
import type { ReviewKind } from '#contract/staff/values.ts';
import { openDispute } from '#server/domain/membership/confirmations.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntryOf, confirmMember, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

async function decide({ device }: Member, kind: ReviewKind, id: string, decision: ReviewDecision) {
  const { item } = await device.call('GET /api/staff/queue/{kind}/{id}', { params: { kind, id } });
  const body = { decision, version: item.version };
  const response = await device.ask('POST /api/staff/queue/{kind}/{id}/decision', { params: { kind, id }, body });
  return response.statusCode < 400 ? null : response.json<{ code: string }>().code;
}

const idOf = async (table: string, column: string, uid: string) =>
  (await archive.pool.query<{ id: string }>(`select id from ${table} where ${column} = $1`, [uid])).rows[0]?.id ?? '';

test('no one decides a report of their own, also if they reported the same thing after others', async () => {
  const [owner, other] = [await createStaff(archive, 'owner'), await createStaff(archive, 'owner')];
  const [subject, first] = [await archive.createMember(), await archive.createMember()];
  for (const member of [subject, first]) await confirmMember(archive, member);
  await archive.pool.query(
    `with item as (insert into reports (kind, subject_id, subject_name, reporter_id, reason, is_confirmed)
       values ('profile', $1, 'Ada', $2, 'offensive', true) returning id)
     insert into reports (kind, subject_id, subject_name, reporter_id, reason, is_confirmed, item_id)
     select 'profile', $1, 'Ada', $3, 'offensive', true, id from item`,
    [subject.uid, first.uid, owner.uid],
  );
  const id = await idOf('reports', 'item_id is null and reporter_id', first.uid);
  expect(await decide(owner, 'report', id, { outcome: 'nothing' })).toBe('permission-denied');
  expect(await decide(other, 'report', id, { outcome: 'nothing' })).toBeNull();
});

test('no one decides a correction that they proposed', async () => {
  const [registrar, other] = [await createStaff(archive, 'registrar'), await createStaff(archive, 'registrar')];
  const entryId = await addEntryOf(archive, await archive.createMember());
  await registrar.device.call('POST /api/staff/corrections', {
    body: { correction: { entryId, reason: 'deceased', text: 'His sister told me.' } },
  });
  const id = await idOf('corrections', 'proposed_by', registrar.uid);
  expect(await decide(registrar, 'correction', id, { outcome: 'accept' })).toBe('permission-denied');
  expect(await decide(other, 'correction', id, { outcome: 'accept' })).toBeNull();
});

test('no one decides the claim of a person for whom they have vouched', async () => {
  const [registrar, other] = [await createStaff(archive, 'registrar'), await createStaff(archive, 'registrar')];
  const claimant = await archive.createMember();
  await claimant.device.call('POST /api/membership/claims', {
    body: { matricNumber: claimant.document.academic.matricNumber, dob: claimant.document.dob },
  });
  await archive.pool.query(`insert into vouches (claimant_id, voucher_id, answer) values ($1, $2, 'yes')`, [
    claimant.uid,
    registrar.uid,
  ]);
  const id = await idOf('claims', 'account_id', claimant.uid);
  const decision = { outcome: 'confirm', entryId: null, seen: 'Passport' } as const;
  expect(await decide(registrar, 'claim', id, decision)).toBe('permission-denied');
  expect(await decide(other, 'claim', id, decision)).toBeNull();
});

test.each(['holder', 'claimant'] as const)(
  'no one decides the dispute of a %s for whom they have vouched',
  async (side) => {
    const [registrar, other] = [await createStaff(archive, 'registrar'), await createStaff(archive, 'registrar')];
    const parties = { holder: await archive.createMember(), claimant: await archive.createMember() };
    const { holder, claimant } = parties;
    const entryId = await addEntryOf(archive, holder);
    await holder.device.call('POST /api/membership/codes', { body: { code: await printCode(archive, entryId) } });
    await archive.context.db
      .transaction()
      .execute((tx) => openDispute(tx, { entryId, holderId: holder.uid, claimantId: claimant.uid }));
    await archive.pool.query(`insert into vouches (claimant_id, voucher_id, answer) values ($1, $2, 'yes')`, [
      parties[side].uid,
      registrar.uid,
    ]);
    const id = await idOf('disputes', 'holder_id', holder.uid);
    expect(await decide(registrar, 'dispute', id, { outcome: 'keep' })).toBe('permission-denied');
    expect(await decide(other, 'dispute', id, { outcome: 'keep' })).toBeNull();
  },
);
