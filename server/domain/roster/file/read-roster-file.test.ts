import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dateCell, toOneRoster, toXlsx, toXlsxOfRows, type SheetCell } from './testing.ts';
import { readRosterFile } from './read-roster-file.ts';
import { readRosterRows } from './read-roster-rows.ts';
import type { RosterSettings } from './roster-file.ts';
import type { RosterRow, RowError } from './roster-row.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-roster-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function read(content: string | Uint8Array, settings: Partial<RosterSettings> = {}) {
  const path = join(folder, 'roster');
  await writeFile(path, content);
  const file = await readRosterFile(path, { departments: ['Computer Science', 'Physics'], settings });
  const rows: RosterRow[] = [];
  const errors: RowError[] = [];
  for await (const batch of readRosterRows(path, file.settings)) {
    rows.push(...batch.rows);
    errors.push(...batch.errors);
  }
  return { file, rows, errors };
}

const head = 'MATRIC NO,SURNAME,FIRST NAME\n';

describe('reading text', () => {
  test.for([
    ['utf-8', Buffer.from(`\uFEFF${head}A/1,Ọláwálé,Bọ́lá\n`)],
    ['utf-8', Buffer.from(`${head}A/1,Ọláwálé,Bọ́lá\n`)],
    ['utf-16le', Buffer.from(`\uFEFF${head}A/1,Ọláwálé,Bọ́lá\n`, 'utf16le')],
    ['utf-16le', Buffer.from(`${head}A/1,Ọláwálé,Bọ́lá\n`, 'utf16le')],
    ['utf-16be', Buffer.from(`\uFEFF${head}A/1,Ọláwálé,Bọ́lá\n`, 'utf16le').swap16()],
  ] as const)('decodes %s', async ([encoding, content]) => {
    const { file, rows } = await read(content);
    expect(file.settings.encoding).toBe(encoding);
    expect(file.nameSamples).toEqual(['Ọláwálé', 'Bọ́lá'.normalize('NFC')]);
    expect(rows[0]).toMatchObject({ matricNumber: 'A/1', lastName: 'Ọláwálé' });
  });

  test('decodes windows-1252 if the bytes are not UTF-8, and another encoding if chosen', async () => {
    const content = Buffer.from(`${head}A/1,O\u0092Brien,Andr\u00e9\n`, 'latin1');
    const { file, rows } = await read(content);
    expect(file.settings.encoding).toBe('windows-1252');
    expect(file.nameSamples).toEqual(['O’Brien', 'André']);
    expect(rows[0]).toMatchObject({ lastName: 'O’Brien', firstName: 'André' });
    const forced = await read(content, { encoding: 'utf-8' });
    expect(forced.errors.map(({ column }) => column)).toEqual(['SURNAME', 'FIRST NAME']);
  });

  test.for([',', ';', '\t', '|'] as const)('recognizes the delimiter %j', async (delimiter) => {
    const cells = [
      ['MATRIC NO', 'SURNAME', 'FIRST NAME'],
      ['A/1', '"Adeyemi, Jr; | x"', 'Olu'],
      ['A/2', 'Okafor', 'Chidi'],
    ];
    const { file, rows } = await read(cells.map((row) => row.join(delimiter)).join('\n'));
    expect(file.settings.delimiter).toBe(delimiter);
    expect(rows.map(({ lastName }) => lastName)).toEqual(['Adeyemi, Jr; | x', 'Okafor']);
  });

  test('takes the delimiter from the line “sep=” of Excel', async () => {
    const { file, rows } = await read('sep=;\nMATRIC NO;SURNAME\nA/1;Adeyemi\n');
    expect(file.settings).toMatchObject({ delimiter: ';', headerLine: 2 });
    expect(rows).toMatchObject([{ line: 3, lastName: 'Adeyemi' }]);
  });

  test('accepts mixed line ends, quoted line breaks, blank rows and a repeated header', async () => {
    const { file, rows } = await read(
      'MATRIC NO,SURNAME\r\nA/1,"Ade\r\nyemi"\rA/2,"O""Kafor"\n\r\n,,\nMATRIC NO,SURNAME\r\nA/3,Bello',
    );
    expect(rows.map(({ line, lastName }) => [line, lastName])).toEqual([
      [2, 'Ade yemi'],
      [3, 'O"Kafor'],
      [7, 'Bello'],
    ]);
    expect(file.rowCount).toBe(3);
  });

  test('ignores thousands of blank cells at the end of rows', async () => {
    const blank = ','.repeat(16_000);
    const { file, rows } = await read(`MATRIC NO,SURNAME${blank}\nA/1,Adeyemi${blank}\n`);
    expect(file.columns).toHaveLength(2);
    expect(rows).toMatchObject([{ lastName: 'Adeyemi' }]);
  });

  test('reads files of 300 columns, and cells across the borders of chunks', async () => {
    const extra = Array.from({ length: 297 }, (_, at) => `X${at}`);
    const people = Array.from({ length: 2_000 }, (_, at) => [`A/${at}`, `Ọlá${at}`, 'Olu', ...extra].join(','));
    const { file, rows, errors } = await read(`${head.trim()},${extra.join(',')}\r\n${people.join('\r\n')}\r\n`);
    expect(file.columns).toHaveLength(300);
    expect(errors).toEqual([]);
    expect(rows.map(({ lastName }) => lastName)).toEqual(people.map((_, at) => `Ọlá${at}`));
  });
});

describe('reading XLSX', () => {
  test('skips titles, fills merged cells, takes stored results, and reads dates of both date systems', async () => {
    const born = { 1900: 36_250, 1904: 36_250 - 1_462 };
    for (const dateSystem of [1900, 1904] as const) {
      const content = toXlsx({
        dateSystem,
        sheets: [
          {
            name: 'Class of 2009',
            merged: ['A1:D1', 'C4:C5'],
            rows: [
              ['Olumo University of Education: graduates'],
              [],
              ['Matric No.', 'Surname', 'Department', 'Date of Birth'],
              [74_095_673, 'Adeyemi', 'COMPUTER SCIENCE', dateCell(born[dateSystem])],
              [{ attributes: 't="str"', xml: '<f>"0"&amp;12</f><v>012</v>' }, 'Bello', null, born[dateSystem]],
            ],
          },
        ],
      });
      const { file, rows } = await read(content);
      expect(file.settings).toMatchObject({
        sheets: ['Class of 2009'],
        headerLine: 3,
        encoding: null,
        delimiter: null,
      });
      expect(rows).toMatchObject([
        { line: 4, matricNumber: '74095673', department: 'Computer Science', birthDate: '1999-03-31' },
        { line: 5, matricNumber: '012', department: 'Computer Science', birthDate: '1999-03-31' },
      ]);
    }
  });

  test('asks which of several visible sheets, and reads the chosen ones', async () => {
    const toRows = (name: string): SheetCell[][] => [
      ['Reg No', 'Surname'],
      ['A/1', name],
    ];
    const content = toXlsx({
      sheets: [
        { name: 'Hidden', rows: toRows('Hidden'), isHidden: true },
        { name: 'Notes', rows: [['For internal use']] },
        { name: '2008', rows: toRows('Adeyemi') },
        { name: '2009', rows: toRows('Okafor') },
      ],
    });
    await expect(read(content)).rejects.toThrow('This file has no sheet named');
    const { file, rows } = await read(content, { sheets: ['2009'] });
    expect(file.sheets.map(({ name }) => name)).toEqual(['Notes', '2008', '2009']);
    expect(rows[0]?.lastName).toBe('Okafor');
  });

  test('reads inline texts, rich texts, booleans and prefixed tags', async () => {
    const content = toXlsx({
      sheets: [{ name: 'Sheet1', rows: [] }],
      parts: {
        'xl/sharedStrings.xml':
          '<x:sst xmlns:x="x"><x:si><x:r><x:t>Ade</x:t></x:r><x:r><x:t>yemi</x:t></x:r><x:rPh><x:t>no</x:t></x:rPh></x:si></x:sst>',
        'xl/worksheets/sheet1.xml':
          '<x:worksheet xmlns:x="x"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>Reg No</x:t></x:is></x:c><x:c t="inlineStr"><x:is><x:t>Surname</x:t></x:is></x:c><x:c t="inlineStr"><x:is><x:t>Deceased</x:t></x:is></x:c></x:row>' +
          '<x:row><x:c t="str"><x:v>A/1</x:v></x:c><x:c t="s"><x:v>0</x:v></x:c><x:c t="b"><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>',
      },
    });
    expect((await read(content)).rows).toMatchObject([{ line: 2, lastName: 'Adeyemi', isDeceased: true }]);
  });

  test('numbers rows as Excel shows them, also below blank rows', async () => {
    const { rows } = await read(toXlsxOfRows([['Reg No', 'Surname'], [], [], ['A/1', 'Adeyemi']]));
    expect(rows[0]?.line).toBe(4);
  });
});

describe('reading OneRoster', () => {
  const users =
    'sourcedId,status,dateLastModified,enabledUser,username,givenName,familyName,middleName,identifier,email\r\n' +
    'u1,active,,true,olu,Olu,Adeyemi,,CSC/15/0012,olu@example.edu\r\n' +
    'u2,tobedeleted,,true,sade,Sade,Bello,,CSC/15/0013,\r\n' +
    'u3,active,,true,teacher,Ngozi,Eze,,STAFF/1,\r\n';

  test('reads students of a delta, and people to be deleted as left', async () => {
    const roles = 'sourcedId,userSourcedId,roleType,role\r\nr1,u1,primary,student\r\nr3,u3,primary,teacher\r\n';
    const { file, rows } = await read(toOneRoster({ 'users.csv': users, 'roles.csv': roles }));
    expect(file).toMatchObject({ kind: 'oneroster', warnings: [] });
    expect(rows).toMatchObject([
      {
        matricNumber: 'CSC/15/0012',
        lastName: 'Adeyemi',
        firstName: 'Olu',
        status: 'student',
        email: 'olu@example.edu',
      },
      { matricNumber: 'CSC/15/0013', status: 'left' },
    ]);
  });

  test('adds birth date and sex from demographics.csv, and nothing else of it', async () => {
    const roles = 'sourcedId,userSourcedId,roleType,role\r\nr1,u1,primary,student\r\n';
    const demographics =
      'sourcedId,status,dateLastModified,birthDate,sex,asian,countryOfBirthCode\r\n' +
      'u3,active,,1970-01-02,male,false,NG\r\n' +
      'u1,active,,1995-03-14,female,false,NG\r\n' +
      'u2,active,,1996-05-06,unspecified,false,NG\r\n';
    const { file, rows, errors } = await read(
      toOneRoster({ 'users.csv': users, 'roles.csv': roles, 'demographics.csv': demographics }),
    );
    expect(errors).toEqual([]);
    expect(file.columns.map(({ key }) => key)).not.toContain('asian');
    expect(rows).toMatchObject([
      { matricNumber: 'CSC/15/0012', birthDate: '1995-03-14', gender: 'female' },
      { matricNumber: 'CSC/15/0013', birthDate: '1996-05-06', gender: null },
    ]);
  });

  test('takes roles from users.csv in version 1.1, and sourcedId if there is no identifier', async () => {
    const older =
      'sourcedId,status,role,givenName,familyName,identifier\r\nu1,,student,Olu,Adeyemi,\r\nu2,,parent,A,B,\r\n';
    const { rows } = await read(toOneRoster({ 'users.csv': older }, '1.1'));
    expect(rows).toMatchObject([{ matricNumber: 'u1', status: null }]);
  });
});
