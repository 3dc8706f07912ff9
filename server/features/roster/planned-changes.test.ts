import { expect, inject, test } from 'vitest';
import type { ChangeFilter } from '#contract/roster.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import { type RosterImports, ada, ben, setUpRosterImports, toCsv } from '#server/testing/roster-imports.ts';

let archive: TestArchive;
let roster: RosterImports;

setUpRosterImports(inject('databases'), (opened) => ({ archive, roster } = opened));

const toList = (...rows: string[]): string =>
  ['Matric No,Surname,First Name,Department,Year of Graduation,Email,Phone', ...rows, ''].join('\n');

const people = Array.from(
  { length: 120 },
  (_, at) => `CSC/15/${1000 + at},Okafor,Ada,Computer Science,2019,a${at}@mail.example,0803 123 ${4000 + at}`,
);

async function check(content: string): Promise<string> {
  const id = await roster.upload(content);
  await roster.run(id, 'check');
  return id;
}

const list = async (id: string, filter: ChangeFilter & { after?: string }, device = roster.registrar.device) =>
  device.call('GET /api/staff/roster/imports/{id}/changes', { params: { id }, query: filter });

test('differences of case, spaces and the writing of phone numbers are no changes, and keep the stored values', async () => {
  const written = [
    ['CSC/15/0001,Ọláwálé Ọ̀ṣun,Adaeze,Computer Science,2019,ada@mail.example,0803 123 4567'],
    ['csc/15/0001,ỌLÁWÁLÉ  Ọ̀ṢUN,ADA EZE,computer science,2019,Ada@Mail.example,+234 (0)803-123-4567'],
    ['CSC/15/0001,Ọláwálé Ọ̀ṣun,Adaeze,Computer Science,2019,ada@mail.example,8031234567'],
    ['CSC/15/0001,Ọláwálé Ọ̀ṣun,Adaeze,Computer Science,2019,ada@mail.example,0703 123 4567'],
    ['CSC/15/0001,Olawale Osun,Adaeze,Computer Science,2019,ada@mail.example,00234 803 123 4567'],
  ].map((rows) => toList(...rows));
  const [first = '', ...others] = written;
  await roster.importFile(first);
  const found = [];
  for (const content of others) {
    const id = await check(content);
    const { counts } = await roster.find(id);
    found.push([counts?.changed, ...(counts?.fields ?? []).map(({ field }) => field)]);
    if (counts?.changed === 0) await roster.apply(id);
    else await roster.run(id, 'cancel');
  }
  expect(found).toEqual([[0], [0], [1, 'phone'], [1, 'lastName']]);
  const { rows } = await archive.pool.query('select last_name, first_name, phone from roster_entries');
  expect(rows).toEqual([{ last_name: 'Ọláwálé Ọ̀ṣun', first_name: 'Adaeze', phone: '0803 123 4567' }]);
});

test('a check counts changes per column, and lists changed, new and missing people by pages and filters', async () => {
  await roster.importFile(toList(...people));
  const next = people
    .slice(2)
    .map((row, at) => (at < 80 ? row.replace('@mail', '@post') : row).toUpperCase())
    .map((row, at) => (at === 5 ? row.replace('OKAFOR', 'BELLO').replace('0803', '0703') : row));
  const id = await check(toList(...next, 'CSC/15/9001,Eze,Chi,Physics,2020,,'));
  expect((await roster.find(id)).counts).toMatchObject({
    new: 1,
    changed: 80,
    unchanged: 38,
    missing: 2,
    fields: [
      { field: 'email', count: 80 },
      { field: 'lastName', count: 1 },
      { field: 'phone', count: 1 },
    ],
  });
  const first = await list(id, { kind: 'changed' });
  expect(first.changes).toHaveLength(50);
  const second = await list(id, { kind: 'changed', after: first.next ?? '' });
  expect(second).toMatchObject({ next: null, changes: { length: 30 } });
  expect(new Set([...first.changes, ...second.changes].map(({ row }) => row)).size).toBe(80);
  const bello = {
    row: '7',
    matricNumber: 'CSC/15/1007',
    name: 'BELLO Ada',
    department: 'Computer Science',
    yearGraduated: 2019,
    isBack: false,
    values: [
      { field: 'lastName', before: 'Okafor', after: 'BELLO' },
      { field: 'email', before: 'a7@mail.example', after: 'a7@post.example' },
      { field: 'phone', before: '0803 123 4007', after: '0703 123 4007' },
    ],
  };
  for (const filter of [
    { field: 'lastName' },
    { q: 'bel' },
    { q: 'okaf ad', field: 'phone' },
    { q: 'csc 15 1007' },
  ] as const)
    expect(await list(id, { kind: 'changed', ...filter })).toEqual({ changes: [bello], next: null });
  expect(await list(id, { kind: 'changed', q: 'chi' })).toEqual({ changes: [], next: null });
  expect((await list(id, { kind: 'new' })).changes).toMatchObject([{ name: 'Eze Chi', row: '120', values: [] }]);
  expect((await list(id, { kind: 'missing' })).changes).toMatchObject([
    { row: null, matricNumber: 'CSC/15/1000', values: [] },
    { row: null, matricNumber: 'CSC/15/1001', values: [] },
  ]);
});

test('the download has one line per new value, with the filter, and an entry that is back says so', async () => {
  await roster.importFile(toList(...people));
  await archive.pool.query(`update roster_entries set gone_since = 1 where matric_key = 'CSC151003'`);
  const id = await check(toList(...people.map((row, at) => (at === 1 ? row.replace('Okafor', '=Cmd') : row))));
  const download = (query: ChangeFilter) =>
    roster.registrar.device.ask('GET /api/staff/roster/imports/{id}/changes/file', { params: { id }, query });
  const { body, headers } = await download({ kind: 'changed' });
  expect(headers['content-disposition']).toContain(`roster-changed-${id}.csv`);
  expect(body).toBe(
    [
      'Change,Row,Matric number,Name,Department,Year graduated,Column,Before,After',
      `Changed,3,CSC/15/1001,"'=Cmd Ada",Computer Science,2019,Last name,Okafor,"'=Cmd"`,
      'Changed,5,CSC/15/1003,Okafor Ada,Computer Science,2019,,missing,in the file again',
      '',
    ].join('\r\n'),
  );
  expect((await download({ kind: 'changed', field: 'lastName' })).body.split('\r\n')).toHaveLength(3);
  expect((await list(id, { kind: 'changed', q: '1003' })).changes).toMatchObject([{ isBack: true, values: [] }]);
});

test('only people of the years that a file covers can be missing', async () => {
  const ofYear = (at: number, year: string) => `CSC/15/${at},Okafor,Ada,Computer Science,${year},,`;
  await roster.importFile(
    toList(ofYear(1, '2011'), ofYear(2, '2012'), ofYear(3, '2022'), ofYear(4, '2023'), ofYear(5, '')),
  );
  const id = await roster.upload(toList(ofYear(2, '2012')));
  const body = { years: { from: 2012, to: 2022 }, thenCheck: true };
  await roster.registrar.device.call('PUT /api/staff/roster/imports/{id}/settings', { params: { id }, body });
  await archive.runJobs();
  expect(await roster.find(id)).toMatchObject({ years: body.years, counts: { unchanged: 1, missing: 1 } });
  expect((await list(id, { kind: 'missing' })).changes).toMatchObject([{ matricNumber: 'CSC/15/3' }]);
  await roster.apply(id, 'many-missing');
  expect(await roster.approve(id)).toMatchObject({ state: 'applied', counts: { missing: 1 } });
  const { rows } = await archive.pool.query('select matric_key from roster_entries where gone_since is not null');
  expect(rows).toEqual([{ matric_key: 'CSC153' }]);
});

test('who approves reads the same changes, every reading of them is recorded, and only a check has them', async () => {
  await roster.importFile(toCsv(ada, ben));
  const id = await roster.upload(toCsv(ada.replace('Ada', 'Adaeze')));
  const refused = () =>
    roster.registrar.device.problem('GET /api/staff/roster/imports/{id}/changes', {
      params: { id },
      query: { kind: 'changed' },
    });
  expect(await refused()).toMatchObject({ code: 'roster/refused', detail: 'Compare the file with the roster first.' });
  await roster.run(id, 'check');
  await roster.apply(id, 'many-changed', 'many-missing');
  for (const kind of ['changed', 'missing'] as const)
    expect(await list(id, { kind }, roster.owner.device)).toEqual(await list(id, { kind }));
  const reads = (await roster.findRecords(id)).filter(({ action }) => action === 'roster-changes-read');
  expect(new Set(reads.map(({ actor }) => actor))).toEqual(new Set([roster.owner.email, roster.registrar.email]));
  expect(reads).toHaveLength(2);
  // A crash of the database empties the staged rows.
  await archive.pool.query('truncate roster_staging');
  expect((await refused()).detail).toMatch(/^The rows of this import were lost/u);
  await roster.run(id, 'check');
  await roster.apply(id, 'many-changed', 'many-missing');
  await roster.approve(id);
  expect(await refused()).toMatchObject({ code: 'roster/refused' });
});
