import { ReadStream } from 'node:fs';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { RosterImport } from '#contract/roster.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import { type RosterImports, ada, ben, setUpRosterImports, toCsv } from '#server/testing/roster-imports.ts';
import { deleteRosterFilesJob } from './jobs.ts';

let archive: TestArchive;
let roster: RosterImports;

setUpRosterImports(inject('databases'), (opened) => ({ archive, roster } = opened));

test('settings can be saved together with a check, and the answer has them', async () => {
  const id = await roster.upload(toCsv(ada, ben.replace('Computer Science', 'CÓMP Sc.')));
  expect(await roster.find(id)).toMatchObject({ file: { unknownDepartments: [{ name: 'CÓMP Sc.', rows: 1 }] } });
  await roster.registrar.device.call('PUT /api/staff/roster/imports/{id}/settings', {
    params: { id },
    body: {
      encoding: 'utf-8',
      departments: { 'CÓMP Sc.': 'Computer Science' },
      erase: ['phone'],
      isPartial: true,
      thenCheck: true,
    },
  });
  expect(await roster.find(id)).toMatchObject({ step: 'check' });
  await archive.runJobs();
  expect(await roster.find(id)).toMatchObject({
    state: 'checked',
    step: null,
    erase: ['phone'],
    isPartial: true,
    file: { encoding: 'utf-8', delimiter: ',', headerLine: 1, unknownDepartments: [] },
    counts: { new: 2 },
  });
});

test('unknown departments have a suggestion, and abbreviations of institution.json replace remembered ones', async () => {
  const list = toCsv(ada.replace('Computer Science', 'CSC'), ben.replace('Computer Science', 'Zoo'));
  const id = await roster.upload(list);
  expect((await roster.find(id)).file?.unknownDepartments).toEqual([
    { name: 'CSC', rows: 1, suggestion: 'Computer Science' },
    { name: 'Zoo', rows: 1 },
  ]);
  await roster.registrar.device.call('PUT /api/staff/roster/imports/{id}/settings', {
    params: { id },
    body: { departments: { CSC: 'Chemistry' } },
  });
  await archive.runJobs();
  await roster.run(id, 'check');
  await roster.apply(id);
  const { institution } = archive.context;
  Object.assign(institution, { departmentAbbreviations: { 'Computer Science': ['csc', 'CS'] } });
  onTestFinished(() => void Object.assign(institution, { departmentAbbreviations: {} }));
  const next = await roster.upload(list);
  expect((await roster.run(next, 'check')).file?.unknownDepartments).toEqual([{ name: 'Zoo', rows: 1 }]);
  const { changes } = await roster.registrar.device.call('GET /api/staff/roster/imports/{id}/changes', {
    params: { id: next },
    query: { kind: 'changed' },
  });
  expect(changes).toMatchObject([
    { values: [{ field: 'department', before: 'Chemistry', after: 'Computer Science' }] },
  ]);
  await roster.run(next, 'cancel');
});

test('a suggested department is not applied without a choice', async () => {
  const id = await roster.upload(toCsv(ada.replace('Computer Science', 'Computing')));
  expect(await roster.find(id)).toMatchObject({ file: { unknownDepartments: [{ suggestion: 'Computer Science' }] } });
  await roster.run(id, 'check');
  await roster.apply(id);
  const { rows } = await archive.pool.query('select department from roster_entries');
  expect(rows).toEqual([{ department: 'Computing' }]);
  await roster.undo(id);
});

test('settings with a text that the database cannot store are refused', async () => {
  const id = await roster.upload(toCsv(ada));
  for (const settings of [
    { sheets: ['\0'] },
    { mapping: { 'Surname\uD800': null } },
    { departments: { CS: '\uD800' } },
  ])
    expect(
      await roster.registrar.device.code('PUT /api/staff/roster/imports/{id}/settings', {
        params: { id },
        body: settings,
      }),
    ).toBe('validation-failed');
  await roster.run(id, 'cancel');
});

test('identical rows count once, and other rows with one matric number are not imported', async () => {
  const id = await roster.upload(toCsv(ada, ben, ada, ben.replace('Ben', 'Benjamin'), `${ada} `, ben));
  expect((await roster.run(id, 'check')).counts).toMatchObject({ new: 1, repeated: 3, duplicates: 2, unreadable: 0 });
  const { body } = await roster.registrar.device.ask('GET /api/staff/roster/imports/{id}/errors', { params: { id } });
  expect(body).toContain('\r\n4,,CSC/15/0001,"This row repeats row 2, and both count once."\r\n');
  expect(body).toContain('\r\n7,,CSC/15/0002,"This row repeats row 3, and both count once."\r\n');
  expect(body).toContain('"Rows 3, 5 have the same matric number');
  await roster.apply(id, 'duplicates');
  const { rows } = await archive.pool.query('select first_name from roster_entries');
  expect(rows).toEqual([{ first_name: 'Ada' }]);
  // The next import has errors of its own.
  const next = await roster.upload(toCsv(ada));
  await roster.run(next, 'check');
  expect(await roster.find(next)).toMatchObject({ hasErrors: false });
  const download = () => roster.registrar.device.ask('GET /api/staff/roster/imports/{id}/errors', { params: { id } });
  expect(await roster.find(id)).toMatchObject({ state: 'applied', hasErrors: true });
  expect((await download()).body).toBe(body);
  await archive.pool.query(`update roster_imports set checked_at = checked_at - interval '8 days' where id = $1`, [id]);
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(await roster.find(id)).toMatchObject({ hasErrors: false });
  expect((await download()).statusCode).toBe(404);
  expect(await roster.run(next, 'cancel')).toMatchObject({ state: 'cancelled' });
});

test('an import is applied only with all warnings confirmed, and its settings can be changed', async () => {
  const id = await roster.upload(toCsv(ada, ben, ben.replace('Bello', 'Belo')));
  const { warnings, checkedAt } = await roster.run(id, 'check');
  expect(warnings).toMatchObject([{ kind: 'duplicates', count: 2 }]);
  const body = { checkedAt: checkedAt ?? '', confirmed: ['many-changed'] };
  expect(
    await roster.registrar.device.problem('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body }),
  ).toMatchObject({
    code: 'roster/refused',
    detail: 'Confirm these warnings first: duplicates.',
  });
  const eraseNames = await roster.registrar.device.fetch('PUT', `/api/staff/roster/imports/${id}/settings`, {
    erase: ['lastName'],
  });
  expect(eraseNames.statusCode).toBe(422);
  await roster.registrar.device.call('PUT /api/staff/roster/imports/{id}/settings', {
    params: { id },
    body: { mapping: { 'Matric No': 'matricNumber', Surname: 'lastName', Email: null }, isPartial: true },
  });
  await archive.runJobs();
  expect(await roster.find(id)).toMatchObject({
    state: 'uploaded',
    counts: null,
    file: { columns: [{}, {}, {}, {}, {}, { field: null }] },
  });
  await roster.run(id, 'check');
  expect(await roster.apply(id, 'duplicates')).toMatchObject({ state: 'applied', counts: { new: 1 } });
  const { rows } = await archive.pool.query('select last_name, email from roster_entries');
  expect(rows).toEqual([{ last_name: 'Okafor', email: null }]);
  await roster.undo(id);
});

test('an import is applied only if the confirmed check is the last one', async () => {
  const id = await roster.upload(toCsv(ada, ben, ben.replace('Bello', 'Belo')));
  const first = await roster.run(id, 'check');
  const second = await roster.run(id, 'check');
  const applyCheck = ({ checkedAt }: RosterImport) => ({
    params: { id },
    body: { checkedAt: checkedAt ?? '', confirmed: ['duplicates'] },
  });
  const refusal = 'The file was compared again. Look at the new result, and confirm its warnings.';
  expect(
    await roster.registrar.device.problem('POST /api/staff/roster/imports/{id}/apply', applyCheck(first)),
  ).toMatchObject({
    code: 'roster/refused',
    detail: refusal,
  });
  // A check that was queued earlier runs between the request and its job.
  await roster.registrar.device.call('POST /api/staff/roster/imports/{id}/check', { params: { id } });
  await roster.registrar.device.call('POST /api/staff/roster/imports/{id}/apply', applyCheck(second));
  await archive.runJobs();
  expect(await roster.find(id)).toMatchObject({ state: 'checked', failure: refusal });
  expect((await archive.pool.query('select from roster_entries')).rowCount).toBe(0);
  expect(await roster.apply(id, 'duplicates')).toMatchObject({ state: 'applied', failure: '' });
  await roster.undo(id);
});

test('a second import with the same headers reads its file as often as the first', async () => {
  const read = vi.spyOn(ReadStream.prototype, '_read');
  const countReads = async () => {
    read.mockClear();
    const id = await roster.upload('Matric No,Surname,Seen only here\nCSC/15/0001,Okafor,x\n');
    const reads = read.mock.calls.length;
    await roster.run(id, 'check');
    await roster.apply(id);
    return reads;
  };
  const first = await countReads();
  expect(first).toBeGreaterThan(0);
  expect(await countReads()).toBe(first);
  read.mockRestore();
});

test.each([
  ['Surname', '“Matric number”'],
  ['Matric No', '“Last name” or “Full name”'],
  ['Remark', '“Matric number”, “Last name” or “Full name”'],
])('a file with only the column %s fails with the names of the missing fields', async (heading, names) => {
  const id = await roster.upload(`${heading},Seen only here\nx,y\n`);
  expect((await roster.run(id, 'check')).failure).toMatch(
    new RegExp(`^No column is set to ${names}\\. Choose the fields under “Columns”,`, 'u'),
  );
  await roster.run(id, 'cancel');
});

test('a large file is read in a worker thread, with the same result', { tags: ['release'] }, async () => {
  const people = Array.from({ length: 3_000 }, (_, at) => `CSC/15/${at},Okafor,Ada,,Computer Science,`);
  const id = await roster.upload(toCsv(...people, ',Nameless,Ben,,,'));
  expect(await roster.find(id)).toMatchObject({ failure: '', file: { rowCount: 3_001 } });
  expect(await roster.run(id, 'check')).toMatchObject({ failure: '', counts: { new: 3_000, unreadable: 1 } });
  await roster.run(id, 'cancel');
  const bad = await roster.upload(`Matric No,Surname\n"${'x'.repeat(100_000)}`);
  expect((await roster.find(bad)).failure).toMatch(
    /^The quotation mark that opens in row 2 is never closed\..+ To upload another file, discard this import first\.$/u,
  );
});

test('a file that cannot be read fails with an error message, and cancelling deletes it', async () => {
  const id = await roster.upload('\u0000\u0001\u0002 nonsense');
  expect((await roster.find(id)).failure).toMatch(/^[A-Z].*\.$/u);
  expect(await roster.run(id, 'cancel')).toMatchObject({ state: 'cancelled' });
  expect(roster.storedFiles()).toEqual([]);
});
