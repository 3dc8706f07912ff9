import { expect, inject, test } from 'vitest';
import { type SheetSpec, toXlsx } from '#server/domain/roster/file/testing.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import { type RosterImports, setUpRosterImports } from '#server/testing/roster-imports.ts';

let archive: TestArchive;
let roster: RosterImports;

setUpRosterImports(inject('databases'), (opened) => ({ archive, roster } = opened));

const sheets: SheetSpec[] = [
  {
    name: '2018',
    rows: [
      ['Matric No', 'Surname', 'First Name'],
      ['CSC/14/0001', 'Okafor', 'Ada'],
      ['CSC/14/0002', 'Bello', 'Ben'],
      ['CSC/14/0002', 'Bello', 'Benjamin'],
    ],
  },
  {
    name: '2019',
    rows: [
      ['Graduates of 2019'],
      ['SURNAME', 'FIRST NAME', 'MATRIC NO'],
      ['Eze', 'Chi', 'CSC/15/0003'],
      ['Okafor', 'Ada', 'CSC/14/0001'],
      ['Nameless'],
    ],
  },
  {
    name: 'Phones',
    rows: [
      ['Matric No', 'Surname', 'Phone'],
      ['CSC/15/0004', 'Musa', '0803 000 0000'],
    ],
  },
  { name: 'Blank', rows: [[' ']] },
];

async function choose(id: string, ...chosen: string[]) {
  const body = { sheets: chosen };
  await roster.registrar.device.call('PUT /api/staff/roster/imports/{id}/settings', { params: { id }, body });
  await archive.runJobs();
  return roster.find(id);
}

test('a workbook of several sheets asks which, before it detects columns', async () => {
  const id = await roster.upload(toXlsx({ sheets }));
  expect((await roster.find(id)).file).toMatchObject({
    chosenSheets: [],
    columns: [],
    sheets: [
      { name: '2018', headings: ['Matric No', 'Surname', 'First Name'] },
      { name: '2019', headings: ['SURNAME', 'FIRST NAME', 'MATRIC NO'] },
      { name: 'Phones' },
    ],
  });
  expect((await roster.run(id, 'check')).failure).toMatch(
    /^This file has several sheets: 2018, 2019, Phones\. Choose one/u,
  );
  expect((await choose(id, '2019')).file).toMatchObject({ chosenSheets: ['2019'], rowCount: 3, headerLine: 2 });
});

test('a workbook with one sheet that is not blank asks nothing', async () => {
  const id = await roster.upload(toXlsx({ sheets: sheets.slice(2) }));
  expect((await roster.find(id)).file).toMatchObject({ chosenSheets: ['Phones'], rowCount: 1 });
});

test('the rows of sheets with the same headings are imported together, and rows are named with their sheet', async () => {
  const id = await roster.upload(toXlsx({ sheets }));
  expect((await choose(id, '2018', '2019')).file).toMatchObject({ rowCount: 6 });
  expect(await roster.run(id, 'check')).toMatchObject({
    counts: { new: 2, repeated: 1, duplicates: 2, unreadable: 1 },
  });
  const { changes } = await roster.registrar.device.call('GET /api/staff/roster/imports/{id}/changes', {
    params: { id },
    query: { kind: 'new' },
  });
  expect(changes.map(({ row, name }) => [row, name])).toEqual([
    ['2 (2018)', 'Okafor Ada'],
    ['3 (2019)', 'Eze Chi'],
  ]);
  const errors = await roster.registrar.device.fetch('GET', `/api/staff/roster/imports/${id}/errors`);
  expect(errors.body).toContain('4 (2019),,CSC/14/0001,"This row repeats row 2 (2018), and both count once."');
  expect(errors.body).toContain('"Rows 3 (2018), 4 (2018) have the same matric number');
  expect(errors.body).toContain('5 (2019),');
  expect(await roster.apply(id, 'duplicates')).toMatchObject({ state: 'applied', failure: '' });
});

test('the warning about confirmed people names their rows with the sheet', async () => {
  const holder = await archive.createMember();
  const of = (name: string): SheetSpec[] => [
    {
      name: 'A',
      rows: [
        ['Matric No', 'Surname', 'First Name'],
        ['CSC/14/0001', 'Okafor', 'Ada'],
      ],
    },
    {
      name: 'B',
      rows: [
        ['Matric No', 'Surname', 'First Name'],
        ['CSC/14/0002', name, 'Ben'],
      ],
    },
  ];
  const first = await roster.upload(toXlsx({ sheets: of('Bello') }));
  await choose(first, 'A', 'B');
  await roster.run(first, 'check');
  await roster.apply(first);
  const { rows } = await archive.pool.query<{ id: number }>(
    `select id from roster_entries where matric_number = 'CSC/14/0002'`,
  );
  await linkEntry(archive.context.db, Number(rows[0]?.id), holder.uid);
  const id = await roster.upload(toXlsx({ sheets: of('Zubair') }));
  await choose(id, 'A', 'B');
  const { warnings } = await roster.run(id, 'check');
  expect(warnings.find(({ kind }) => kind === 'confirmed-changed')?.message).toContain('in row 2 (B) of the file');
});

test('sheets with other headings are refused, and the answer says how they differ', async () => {
  const id = await roster.upload(toXlsx({ sheets }));
  expect((await choose(id, '2018', 'Phones')).failure).toMatch(
    /^The sheet “Phones” has other headings than “2018”: without “First Name”, with “Phone”\. .* only one of these sheets can be taken\./u,
  );
  expect(await roster.run(id, 'check')).toMatchObject({ state: 'uploaded', counts: null });
});
