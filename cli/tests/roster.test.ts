import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { toXlsx } from '#server/domain/roster/file/testing.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { suppressEntry } from '#server/domain/roster/import/suppress-entry.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { createRandom } from '#server/seed/random.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/* Imports of the registrar's list by command. */

let archive: TestArchive;
let folder: string;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
  folder = newFolder('archive-roster-');
});
afterEach(async () => {
  await archive.close();
  await cleanUp();
});

type Cells = readonly (string | number)[];
const header = [
  'Matric No',
  'Surname',
  'First Name',
  'Other Names',
  'Date of Birth',
  'Department',
  'Year of Graduation',
  'Email',
];
const ada = ['CSC/15/0001', 'Okafor', 'Ada', '', '1995-03-14', 'Computer Science', '2019', 'ada@mail.example'];
const ben = ['CSC/15/0002', 'Bello', 'Ben', 'Musa', '1994-12-01', 'Computer Science', '2019', 'ben@mail.example'];
const chi = ['CSC/15/0003', 'Eze', 'Chi', '', '1995-07-30', 'Computer Science', '2019', ''];

function writeRoster(rows: readonly Cells[], name = 'roster.csv'): string {
  const path = join(folder, name);
  writeFileSync(path, [header, ...rows].map((row) => row.join(',')).join('\n'));
  return path;
}

const roster = (...words: string[]) => runCommand(createSettings(archive), 'roster', ...words);

async function importRows(rows: readonly Cells[], ...more: string[]) {
  const all =
    'many-changed,many-missing,duplicates,ambiguous-dates,new-year-birthdays,not-only-students,cut-off,leading-zeros';
  const result = await roster('import', writeRoster(rows), '--yes', '--yes-to', all, ...more);
  expect(result).toMatchObject({ code: 0 });
  return result.stdout;
}

const readEntries = async () =>
  (
    await archive.pool.query<Record<string, unknown>>(
      `select matric_key, last_name, first_name, other_names, birth_date, department, year_graduated, email, status, words,
         gone_since is not null as gone from roster_entries order by matric_key`,
    )
  ).rows;

const idOf = async (matricKey: string) =>
  (await archive.pool.query<{ id: number }>('select id from roster_entries where matric_key = $1', [matricKey])).rows[0]
    ?.id ?? 0;

async function linkMember(matricKey: string): Promise<string> {
  const { uid } = await archive.createMember();
  expect(await linkEntry(archive.context.db, await idOf(matricKey), uid)).toBe(true);
  return uid;
}

test('roster import prints how it reads the file and the numbers, and changes nothing without --yes', async () => {
  const path = writeRoster([ada, ben, ['', 'Nameless', '', '', '', '', '', '']]);
  for (const words of [['--dry-run'], []]) {
    const result = await roster('import', path, ...words);
    expect(result.code).toBe(words.length === 0 ? 1 : 0);
    for (const line of ['Matric No → matricNumber', 'New       2', 'Unreadable rows, not imported: 1', 'Row 4'])
      expect(result.stdout).toContain(line);
  }
  expect(await readEntries()).toEqual([]);
  expect((await archive.pool.query('select from roster_imports')).rowCount).toBe(0);
});

test('roster import adds, changes, keeps and marks entries, and undo restores all of them', async () => {
  await importRows([ada, ben]);
  const before = await readEntries();
  expect(before).toMatchObject([
    { matric_key: 'CSC150001', last_name: 'Okafor', birth_date: '1995-03-14', status: 'graduate', gone: false },
    { matric_key: 'CSC150002', other_names: 'Musa', year_graduated: 2019, email: 'ben@mail.example' },
  ]);
  expect(await importRows([ada, ben])).toContain('New       0\nChanged   0\nUnchanged 2\nMissing   0');

  const stdout = await importRows([
    ['csc 15 0001', 'Okafor-Obi', 'Ada', '', '1995-03-14', 'Computer Science', '2019', ''],
    chi,
  ]);
  expect(stdout).toContain('New       1\nChanged   1\nUnchanged 0\nMissing   1');
  expect(stdout).toContain('Changed values: Matric number 1, Last name 1');
  expect(await readEntries()).toMatchObject([
    { last_name: 'Okafor-Obi', email: 'ada@mail.example', gone: false },
    { last_name: 'Bello', gone: true },
    { last_name: 'Eze', gone: false },
  ]);
  expect((await roster('undo')).stdout).toContain('New       1');
  expect(await roster('undo', '--yes')).toMatchObject({
    code: 0,
    stdout:
      'Reverted: 3. Kept, because claimed or corrected since the import: 0. Not restored, because the person has objected: 0.',
  });
  expect(await readEntries()).toEqual(before);
  // The second list changed nothing.
  for (const left of [before, []]) {
    expect((await roster('undo', '--yes')).code).toBe(0);
    expect(await readEntries()).toEqual(left);
  }
  expect((await roster('undo', '--yes')).stderr).toContain('There is no applied import to undo.');
});

test('roster import names the warnings that --yes-to must confirm', async () => {
  await importRows([ada, ben]);
  const path = writeRoster([ada, [...chi.slice(0, 7), 'chi@mail.example'], chi]);
  const result = await roster('import', path, '--yes');
  expect(result).toMatchObject({ code: 1 });
  expect(result.stderr).toContain('many-missing');
  expect(result.stderr).toContain('duplicates');
  // Both rows with the same number are named, and neither is imported.
  expect(result.stdout).toContain('Row 3: Rows 3, 4 have the same matric number');
  expect(result.stdout).toContain('Row 4: Rows 3, 4 have the same matric number');
  expect(await readEntries()).toHaveLength(2);
});

test('roster import erases blank cells only in the fields that --erase names, and keeps the words of kept names', async () => {
  await importRows([ada, ben]);
  const [matric, , first] = ben;
  const blank = [matric ?? '', 'Danjuma', first ?? '', '', '', '', '', ''];
  await importRows([ada, blank]);
  const [, kept] = await readEntries();
  expect(kept).toMatchObject({
    last_name: 'Danjuma',
    other_names: 'Musa',
    birth_date: '1994-12-01',
    email: 'ben@mail.example',
  });
  expect(kept?.['words']).toEqual(expect.arrayContaining(['danjuma', 'ben', 'musa']) as unknown);
  expect(kept?.['words']).not.toContain('bello');
  await importRows([ada, blank], '--erase', 'email,otherNames');
  expect((await readEntries())[1]).toMatchObject({ other_names: '', birth_date: '1994-12-01', email: null });
});

test('roster import --partial marks no entry as missing, --years only some, and a list unmarks an entry that is back', async () => {
  await importRows([ada, ben]);
  expect(await importRows([chi], '--partial')).toContain('Missing   0');
  expect((await readEntries()).map(({ gone }) => gone)).toEqual([false, false, false]);
  expect(await importRows([ada, chi], '--years', '2020-2022')).toContain('Missing   0');
  expect(await importRows([ada, chi], '--years', '2019-2022')).toContain('Missing   1');
  expect((await readEntries()).map(({ gone }) => gone)).toEqual([false, true, false]);
  await importRows([ada, ben, chi]);
  expect((await readEntries()).map(({ gone }) => gone)).toEqual([false, false, false]);
});

test('roster import keeps the link of an entry that is missing, and roster undo keeps entries claimed since', async () => {
  await importRows([ada]);
  const uid = await linkMember('CSC150001');
  await importRows([ben, chi]);
  const links = await archive.pool.query('select account_id from roster_links');
  expect(links.rows).toEqual([{ account_id: uid }]);
  expect(await readEntries()).toMatchObject([{ gone: true }, { gone: false }, { gone: false }]);
  await linkMember('CSC150002');
  expect((await roster('undo', '--yes')).stdout).toContain(
    'Reverted: 2. Kept, because claimed or corrected since the import: 1.',
  );
  expect(await readEntries()).toMatchObject([
    { matric_key: 'CSC150001', gone: false },
    { matric_key: 'CSC150002', gone: false },
  ]);
});

test('roster import does not bring back an entry whose person has objected', async () => {
  await importRows([ada, ben]);
  await suppressEntry(archive.context.db, await idOf('CSC150001'));
  expect(await importRows([ada, ben])).toContain('Not imported, because the person has objected: 1');
  expect(JSON.stringify(await readEntries())).not.toMatch(/Okafor|CSC150001|1995-03-14/u);
});

test('importing ten edited files leads to the same roster as importing the last one', async () => {
  const random = createRandom(5);
  const people = Array.from({ length: 60 }, (_, at) => [
    `CSC/15/${String(at).padStart(4, '0')}`,
    'Okafor',
    'Ada',
    'Ife',
    '1995-03-14',
    'Computer Science',
    '2019',
    `p${at}@mail.example`,
  ]);
  let rows = people.slice(0, 40);
  for (let file = 0; file < 10; file++) {
    rows = rows
      .filter(() => random.chance(0.9))
      .map((row) => (random.chance(0.3) ? row.with(1 + Math.floor(random.next() * 3), `Name${file}`) : row));
    rows.push(...people.filter(([matric]) => random.chance(0.2) && !rows.some(([known]) => known === matric)));
    await importRows(rows);
  }
  const edited = (await readEntries()).filter(({ gone }) => gone === false);
  await archive.pool.query('delete from roster_entries');
  await importRows(rows);
  expect(edited).toEqual(await readEntries());
  expect(edited.length).toBeGreaterThan(20);
});

test('a failure at any statement of an import or undo leaves the roster as before', async () => {
  await importRows([ada, ben]);
  await importRows([ada, ben, chi].map((row) => row.with(7, 'new@mail.example')));
  const before = await readEntries();
  const fail = (event: string, table: string) =>
    archive.pool
      .query(`create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'Refused'; end $$;
      drop trigger if exists refuse on roster_entries; drop trigger if exists refuse on roster_changes; drop trigger if exists refuse on roster_imports;
      create trigger refuse before ${event} on ${table} for each row execute function refuse()`);
  for (const [event, table] of [
    ['insert', 'roster_changes'],
    ['update', 'roster_entries'],
    ['insert', 'roster_entries'],
    ['update', 'roster_imports'],
  ] as const) {
    await fail(event, table);
    const path = writeRoster([ada.with(1, 'Changed'), ben, ['CSC/15/0009', 'New', 'Person', '', '', '', '', '']]);
    expect(await roster('import', path, '--yes', '--yes-to', 'many-changed,many-missing')).toMatchObject({ code: 1 });
    expect(await readEntries()).toEqual(before);
  }
  for (const [event, table] of [
    ['delete', 'roster_entries'],
    ['update', 'roster_entries'],
    ['update', 'roster_imports'],
  ] as const) {
    await fail(event, table);
    expect(await roster('undo', '--yes')).toMatchObject({ code: 1 });
    expect(await readEntries()).toEqual(before);
  }
});

test('a claim can link an entry while an import changes it', async () => {
  await importRows([ada, ben]);
  const { uid } = await archive.createMember();
  const entry = await idOf('CSC150001');
  await archive.context.db.transaction().execute(async (tx) => {
    expect(await linkEntry(tx, entry, uid)).toBe(true);
    // The claim is not committed yet.
    await importRows([ada.with(1, 'Changed'), ben]);
  });
  const { rows } = await archive.pool.query(
    'select last_name, account_id from roster_entries join roster_links on entry_id = id',
  );
  expect(rows).toEqual([{ last_name: 'Changed', account_id: uid }]);
});

test('roster import and roster undo are each recorded once in the audit log, without an actor', async () => {
  await importRows([ada, ben]);
  await roster('undo', '--yes');
  const { rows } = await archive.pool.query(
    'select actor, action, subject_kind, details from audit_records order by id',
  );
  const subject = { actor: null, subject_kind: 'roster-import' };
  expect(rows).toEqual([
    { ...subject, action: 'roster-applied', details: { new: 2, changed: 0, missing: 0 } },
    { ...subject, action: 'roster-undone', details: { takenBack: 2, kept: 0, failed: 0 } },
  ]);
});

test('roster import is refused while another import runs', async () => {
  const client = await archive.pool.connect();
  try {
    await client.query('begin; select pg_advisory_xact_lock(7246189)');
    expect((await roster('import', writeRoster([ada]), '--yes')).stderr).toContain('Another import is running');
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('imports the chosen sheets of a workbook, and says which there are', async () => {
  const path = join(folder, 'roster.xlsx');
  writeFileSync(
    path,
    toXlsx({
      sheets: [
        { name: '2018', rows: [header, ada] },
        { name: '2019', rows: [header, ben] },
      ],
    }),
  );
  const refused = await roster('import', path, '--dry-run');
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('This file has several sheets: 2018, 2019.');
  const chosen = await roster('import', path, '--dry-run', '--sheet', '2018/2019');
  expect(chosen.stdout).toContain('sheet 2018, 2019');
  expect(chosen.stdout).toContain('New       2');
});
