import { expect, inject, test } from 'vitest';
import type { TestArchive } from '#server/testing/archive.ts';
import { type RosterImports, ada, ben, setUpRosterImports, toCsv } from '#server/testing/roster-imports.ts';

let archive: TestArchive;
let roster: RosterImports;

setUpRosterImports(inject('databases'), (opened) => ({ archive, roster } = opened));

test('an older import is undone unless a later one builds on it, and then the reason is said', async () => {
  const importPart = async (...rows: string[]) => {
    const id = await roster.upload(toCsv(...rows));
    const body = { isPartial: true, thenCheck: true };
    await roster.registrar.device.call('PUT /api/staff/roster/imports/{id}/settings', { params: { id }, body });
    await archive.runJobs();
    const { warnings } = await roster.find(id);
    const { approval } = await roster.apply(id, ...warnings.map(({ kind }) => kind));
    if (approval) await roster.approve(id);
    return id;
  };
  const findRefusal = async (id: string) => (await roster.find(id)).undoRefusal;
  const request = (id: string) =>
    roster.registrar.device.problem('POST /api/staff/roster/imports/{id}/undo', { params: { id } });
  const readNames = async () =>
    (
      await archive.pool.query<{ first_name: string }>('select first_name from roster_entries order by matric_key')
    ).rows.map(({ first_name: name }) => name);
  const chi = 'CSC/15/0003,Eze,Chi,,,';

  const first = await importPart(ada, ben);
  const other = await importPart(chi);
  const change = await importPart(ben.replace('Ben', 'Benjamin'));
  const refusal = 'The import of list.csv builds on this one. Undo that import first.';
  expect(await request(first)).toMatchObject({ code: 'roster/refused', detail: refusal });
  expect([await findRefusal(first), await findRefusal(other), await findRefusal(change)]).toEqual([
    refusal,
    null,
    null,
  ]);
  expect(await roster.undo(other)).toMatchObject({ state: 'undone', undoCounts: { takenBack: 1, kept: 0 } });
  expect(await readNames()).toEqual(['Ada', 'Benjamin']);

  // A list of all people builds on every import, also on those whose people it lacks.
  const full = String((await roster.importFile(toCsv(ada, ben.replace('Ben', 'Benjamin'), chi))).id);
  expect([await findRefusal(change), await findRefusal(full)]).toEqual([refusal, null]);
  await roster.undo(full);
  await roster.undo(change);
  expect(await readNames()).toEqual(['Ada', 'Ben']);

  // An import that was applied while the undo of an earlier one waited.
  await roster.registrar.device.call('POST /api/staff/roster/imports/{id}/undo', { params: { id: first } });
  await importPart(ada.replace('Ada', 'Adaeze'));
  await roster.approve(first);
  expect(await readNames()).toEqual(['Adaeze', 'Ben']);
  expect(await findRefusal(first)).toBe(refusal);
});

test('the values before an import are deleted by the first import after 90 days', async () => {
  const { id } = await roster.importFile(toCsv(ada));
  await roster.importFile(toCsv(ada.replace('Ada', 'ADA'), ben));
  await archive.pool.query(`update roster_imports set applied_at = applied_at - interval '91 days' where id = $1`, [
    id,
  ]);
  expect((await roster.find(String(id))).undoRefusal).toMatch(/builds on this one/u);
  await roster.importFile(toCsv(ada, ben));
  expect((await roster.find(String(id))).undoRefusal).toBe('The values before this import are no longer stored.');
});
