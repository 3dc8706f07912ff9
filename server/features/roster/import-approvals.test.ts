import { expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import { type RosterImports, ada, ben, setUpRosterImports, toCsv } from '#server/testing/roster-imports.ts';
import { createStaff } from '#server/testing/staff.ts';
import { deleteRosterFilesJob } from './jobs.ts';

let archive: TestArchive;
let roster: RosterImports;

setUpRosterImports(inject('databases'), (opened) => ({ archive, roster } = opened));

const listOf = (details: Readonly<Record<string, number>>) =>
  Object.entries(details).map(([name, value]) => ({ name, value: String(value) }));

test('an import that changes or misses many entries, and every undo, waits for a second person, and is recorded once', async () => {
  expect(await roster.importFile(toCsv(ada, ben))).toMatchObject({
    state: 'applied',
    undoRefusal: null,
    approval: null,
  });
  const id = await roster.upload(toCsv(ada.replace('Ada', 'Adaeze')));
  const checked = await roster.run(id, 'check');
  expect(checked).toMatchObject({ needsApproval: true, counts: { changed: 1, missing: 1 } });
  const body = { checkedAt: checked.checkedAt ?? '', confirmed: ['many-changed', 'many-missing'] };
  const request = () =>
    roster.registrar.device.ask('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body });
  expect((await request()).json()).toEqual({ result: 'requested' });
  expect((await request()).json<Problem>().detail).toBe('This import already waits for an approval.');
  await archive.runJobs();
  expect(await roster.find(id)).toMatchObject({
    state: 'checked',
    step: null,
    approval: { step: 'apply', requestedBy: roster.registrar.email },
  });
  const { approvals } = await roster.owner.device.call('GET /api/staff/approvals');
  expect(approvals[0]).toMatchObject({ kind: 'roster-apply', people: 2, about: `import ${id}, list.csv` });
  expect(await roster.approve(id)).toMatchObject({ state: 'applied', approval: null, undoRefusal: null });
  await roster.registrar.device.call('POST /api/staff/roster/imports/{id}/undo', { params: { id } });
  await archive.runJobs();
  expect(await roster.find(id)).toMatchObject({ state: 'applied', approval: { step: 'undo' } });
  expect(await roster.approve(id)).toMatchObject({ state: 'undone', approval: null });
  expect(await roster.findRecords(id)).toEqual([
    { action: 'roster-undone', actor: roster.registrar.email, details: listOf({ failed: 0, kept: 0, takenBack: 2 }) },
    { action: 'roster-applied', actor: roster.registrar.email, details: listOf({ changed: 1, missing: 1, new: 0 }) },
  ]);
});

test('an approved import is refused if it was compared again since the request, and cancelled if it was discarded', async () => {
  await roster.importFile(toCsv(ada, ben));
  const id = await roster.upload(toCsv(ada));
  const request = async () => {
    const { checkedAt } = await roster.run(id, 'check');
    const body = { checkedAt: checkedAt ?? '', confirmed: ['many-missing'] };
    await roster.registrar.device.call('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body });
    return (await roster.find(id)).approval?.id ?? '';
  };
  const approveById = async (approvalId: string) => {
    await roster.owner.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: approvalId } });
    await archive.runJobs();
    return roster.findApproval(approvalId);
  };
  const earlier = await request();
  const later = await request();
  expect(later).not.toBe(earlier);
  expect(await approveById(earlier)).toMatchObject({
    state: 'failed',
    failure: 'The file was compared again. Look at the new result, and confirm its warnings.',
  });
  await roster.owner.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: later } });
  await roster.run(id, 'cancel');
  expect(await roster.findApproval(later)).toMatchObject({ state: 'cancelled', decidedBy: roster.registrar.email });
  expect(await roster.findRecords(id)).toEqual([]);
});

test('cancelling an import withdraws its request for an approval, and this is recorded once', async () => {
  await roster.importFile(toCsv(ada, ben));
  const request = async () => {
    const id = await roster.upload(toCsv(ada));
    await roster.run(id, 'check');
    const { approval } = await roster.apply(id, 'many-missing');
    return { id, approvalId: approval?.id ?? '' };
  };
  const one = await request();
  await roster.run(one.id, 'cancel');
  expect(await roster.findApproval(one.approvalId)).toMatchObject({
    state: 'cancelled',
    decidedBy: roster.registrar.email,
  });
  expect(await roster.findRecords(one.approvalId)).toEqual([
    { action: 'approval-cancelled', actor: roster.registrar.email, details: [] },
    expect.objectContaining({ action: 'approval-requested' }),
  ]);
  const old = await request();
  await archive.pool.query(`update roster_imports set created_at = created_at - interval '8 days'`);
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(await roster.findApproval(old.approvalId)).toMatchObject({ state: 'cancelled', decidedBy: null });
});

test('small imports by one person in 24 hours together wait for a second person like one large import', async () => {
  const people = Array.from({ length: 200 }, (_, at) => `CSC/15/${1000 + at},Okafor,Ada,,Computer Science,`);
  const importRenamed = async (count: number) => {
    const renamed = people.map((row, at) => (at < count ? row.replace('Ada', 'Adaeze') : row));
    return roster.importFile(toCsv(...renamed));
  };
  await importRenamed(0);
  expect(await importRenamed(6)).toMatchObject({ state: 'applied', counts: { changed: 6 } });
  const next = await importRenamed(12);
  expect(next).toMatchObject({ state: 'checked', warnings: [], counts: { changed: 6 }, needsApproval: true });
  expect(next.approval).toMatchObject({ step: 'apply', requestedBy: roster.registrar.email });
  const params = { id: String(next.id) };
  const { device } = await createStaff(archive, 'registrar');
  expect(await device.call('GET /api/staff/roster/imports/{id}', { params })).toMatchObject({ needsApproval: false });
  expect(await roster.approve(params.id)).toMatchObject({ state: 'applied' });
  // The import that a second person has approved does not count.
  expect(await importRenamed(14)).toMatchObject({ state: 'applied', counts: { changed: 2 } });
  expect(await importRenamed(17)).toMatchObject({ state: 'checked', counts: { changed: 3 }, needsApproval: true });
  await archive.pool.query(`update roster_imports set applied_at = applied_at - interval '24 hours'`);
  const { imports } = await roster.registrar.device.call('GET /api/staff/roster/imports');
  expect(imports[0]).toMatchObject({ counts: { changed: 3 }, needsApproval: false });
});
