import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRosterFile } from './read-roster-file.ts';
import { readRosterRows } from './read-roster-rows.ts';
import type { RosterSettings } from './roster-file.ts';
import type { RosterRow } from './roster-row.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-mapping-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function read(content: string, settings: Partial<RosterSettings> = {}) {
  const path = join(folder, 'roster.csv');
  await writeFile(path, content);
  const file = await readRosterFile(path, { departments: ['Computer Science', 'Physics'], settings });
  const rows: RosterRow[] = [];
  for await (const batch of readRosterRows(path, file.settings)) {
    expect(batch.errors).toEqual([]);
    rows.push(...batch.rows);
  }
  return { file, rows };
}

describe('mapping columns', () => {
  test.for([
    [
      'a spreadsheet',
      'S/N,MATRIC. NO.,SURNAME,OTHER NAMES,SEX,D.O.B (dd/mm/yyyy),FACULTY,DEPT,COURSE OF STUDY,YEAR OF ENTRY,GSM NO,E-mail Address',
      '1,CSC/15/0012,ADEYEMI,Olu,F,13/02/1997,Science,Physics,B.Sc,2015/2016,08031234567,Olu@Example.com',
    ],
    [
      'Banner',
      'SPRIDEN_PIDM,SPRIDEN_ID,SPRIDEN_LAST_NAME,SPRIDEN_MI,SPBPERS_SEX,SPBPERS_BIRTH_DATE,SGBSTDN_COLL_CODE_1,SGBSTDN_DEPT_CODE,SGBSTDN_PROGRAM_1,SGBSTDN_TERM_CODE_ADMIT,SPRTELE_PHONE_NUMBER,GOREMAL_EMAIL_ADDRESS',
      '1,CSC/15/0012,ADEYEMI,Olu,F,13-FEB-1997,Science,Physics,B.Sc,2015,08031234567,olu@example.com',
    ],
    [
      'PeopleSoft',
      'ROW,EMPLID,LAST_NAME,MIDDLE_NAME,SEX,BIRTHDATE,ACAD_GROUP,ACAD_ORG,ACAD_PLAN,ADMIT_TERM,PHONE,EMAIL_ADDR',
      '1,CSC/15/0012,ADEYEMI,Olu,F,1997-02-13,Science,Physics,B.Sc,2015,08031234567,olu@example.com',
    ],
  ] as const)('recognizes the headings of %s', async ([, headings, person]) => {
    const { file, rows } = await read(`${headings}\n${person}\n`);
    expect(file.columns.map(({ guess }) => guess)).toEqual([
      null,
      'matricNumber',
      'lastName',
      'otherNames',
      'gender',
      'birthDate',
      'college',
      'department',
      'program',
      'yearAdmitted',
      'phone',
      'email',
    ]);
    expect(rows).toEqual([
      {
        line: 2,
        matricNumber: 'CSC/15/0012',
        matricKey: 'CSC150012',
        lastName: 'ADEYEMI',
        firstName: null,
        otherNames: 'Olu',
        gender: 'female',
        birthDate: '1997-02-13',
        college: 'Science',
        department: 'Physics',
        program: 'B.Sc',
        yearAdmitted: 2015,
        yearGraduated: null,
        email: 'olu@example.com',
        phone: '08031234567',
        status: null,
        isConfidential: null,
        isDeceased: null,
        diedOn: null,
      },
    ]);
  });

  test('describes each column by its fill rate and three different samples', async () => {
    const { file } = await read(
      'REG NO,SURNAME,SHOE SIZE,,\nA/1,Bello,41,x,\nA/2,Bello,,,\nA/3,Eze,41,,\nA/4,Obi,39,,\n',
    );
    expect(file.columns).toEqual([
      { key: 'REG NO', fillRate: 1, samples: ['A/1', 'A/2', 'A/3'], guess: 'matricNumber', isLeftOut: false },
      { key: 'SURNAME', fillRate: 1, samples: ['Bello', 'Eze', 'Obi'], guess: 'lastName', isLeftOut: false },
      { key: 'SHOE SIZE', fillRate: 0.75, samples: ['41', '39'], guess: null, isLeftOut: false },
      { key: 'Column 4', fillRate: 0.25, samples: ['x'], guess: null, isLeftOut: false },
    ]);
  });

  test('leaves out grades, class of degree, nationality, religion, parents and photos, even if mapped', async () => {
    const content =
      'REG NO,SURNAME,CGPA,Class of Degree,Nationality,Religion,Father’s Name,Next of Kin,Passport Photograph\n' +
      'A/1,Bello,zq4.5,zqFirst,zqNigerian,zqMuslim,zqMusa,zqAmina,zq.jpg\n';
    const { file, rows } = await read(content);
    expect(file.columns.filter(({ isLeftOut }) => isLeftOut)).toHaveLength(7);
    expect(JSON.stringify([file, rows])).not.toContain('zq');
    await expect(read(content, { mapping: { ...file.settings.mapping, Religion: 'college' } })).rejects.toThrow(
      'The archive does not store the column “Religion”.',
    );
  });

  test('reads only the columns of a given mapping, in any order of columns', async () => {
    const mapping = { Kennung: 'matricNumber', Familie: 'lastName' } as const;
    expect((await read('Kennung,Familie,E-Mail\nA/1,Bello,a@example.com\n', { mapping })).rows).toMatchObject([
      { matricNumber: 'A/1', lastName: 'Bello', email: null },
    ]);
    expect((await read('Familie,Kennung\nBello,A/1\n', { mapping })).rows).toMatchObject([{ matricNumber: 'A/1' }]);
  });

  test('names the required fields that no column has', async () => {
    const path = join(folder, 'unmapped.csv');
    await writeFile(path, 'Kennung,Familie\nA/1,Bello\n');
    const file = await readRosterFile(path, { departments: [] });
    expect(file.missingFields).toEqual(['matricNumber', 'lastName']);
    await expect(readRosterRows(path, file.settings).next()).rejects.toThrow('Choose the column of the matric number');
  });

  test('lists unknown departments once with counts, and applies aliases', async () => {
    const content =
      'REG NO,SURNAME,DEPARTMENT\nA/1,Bello,Comp. Sc.\nA/2,Eze,computer science\nA/3,Obi,Comp. Sc.\nA/4,Ojo,Law\nA/5,Musa,constructor\n';
    const { file, rows } = await read(content);
    expect(file.unknownDepartments).toEqual([
      { name: 'Comp. Sc.', rows: 2, suggestion: 'Computer Science' },
      { name: 'Law', rows: 1 },
      { name: 'constructor', rows: 1 },
    ]);
    expect(rows.map(({ department }) => department)).toEqual([
      'Comp. Sc.',
      'Computer Science',
      'Comp. Sc.',
      'Law',
      'constructor',
    ]);
    const aliased = await read(content, { departments: { 'comp sc': 'Computer Science' } });
    expect(aliased.file.unknownDepartments).toMatchObject([{ name: 'Law' }, { name: 'constructor' }]);
    expect(aliased.rows[0]).toMatchObject({ department: 'Computer Science' });
  });

  test.for([
    ['ADEYEMI Olu Bola', 'last-first', 'ADEYEMI', 'Olu', 'Bola'],
    ['Olu Bola ADEYEMI', 'first-last', 'ADEYEMI', 'Olu', 'Bola'],
    ['"Adeyemi-Cole, Mrs. Olu"', 'last-first', 'Adeyemi-Cole', 'Mrs.', 'Olu'],
    ['(Mrs.) ADEYEMI Olu', 'last-first', 'ADEYEMI', 'Olu', null],
    ['Dr. Adeyemi', 'last-first', 'Adeyemi', null, null],
  ] as const)('splits the full name %s', async ([name, nameOrder, lastName, firstName, otherNames]) => {
    const { file, rows } = await read(`REG NO,NAMES\nA/1,${name}\n`);
    expect(file.settings.nameOrder).toBe(nameOrder);
    expect(rows).toMatchObject([{ lastName, firstName, otherNames }]);
  });
});
