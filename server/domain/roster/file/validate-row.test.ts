import { describe, expect, test } from 'vitest';
import type { RosterField, RowError } from './roster-row.ts';
import { createRowValidator } from './validate-row.ts';

function readCell(field: RosterField, text: string, dateOrder: 'dmy' | 'mdy' | null = 'dmy') {
  const validate = createRowValidator({
    columns: [
      { at: 0, key: 'number', field: 'matricNumber' },
      { at: 1, key: 'name', field: 'lastName' },
      { at: 2, key: 'cell', field },
    ],
    settings: { nameOrder: 'last-first', dateOrder, departments: {} },
    dateSystem: 1900,
    thisYear: 2026,
  });
  const errors: RowError[] = [];
  const row = validate({ line: 2, cells: ['A/1', 'Bello', text] }, errors);
  return errors[0] ?? (row && (field === 'fullName' ? row.lastName : row[field]));
}

const anError = expect.objectContaining({ line: 2, column: 'cell', isRowSkipped: false });
const aSkippedRow = expect.objectContaining({ line: 2, column: 'cell', isRowSkipped: true });

describe('reading a birth date', () => {
  test.for([
    ['1999-04-03', '1999-04-03'],
    ['1999-04-03 00:00:00', '1999-04-03'],
    ['1999-04-03T00:00:00Z', '1999-04-03'],
    ['1999/4/3', '1999-04-03'],
    ['19990403', '1999-04-03'],
    ['3/4/1999', '1999-04-03'],
    ['03-04-1999', '1999-04-03'],
    ['03.04.1999', '1999-04-03'],
    ['3/4/99', '1999-04-03'],
    ['3/4/05', '2005-04-03'],
    ['3/4/1999 12:00 AM', '1999-04-03'],
    ['03-APR-99', '1999-04-03'],
    ['3rd April, 1999', '1999-04-03'],
    ['April 3, 1999', '1999-04-03'],
    ['36253', '1999-04-03'],
    ['29/02/2000', '2000-02-29'],
    ['00/00/0000', null],
    ['N/A', null],
    ['-', null],
    ['29/02/1999', anError],
    ['4/13/1999', anError],
    ['1/1/1899', anError],
    ['1/1/2030', anError],
    ['1999', anError],
    ['April', anError],
    ['99-4-3', anError],
    ['3/4/1999/5', anError],
    ['99999999', anError],
  ] as const)('reads %s as %s', ([text, expected]) => {
    expect(readCell('birthDate', text)).toEqual(expected);
  });

  test.for([
    ['4/3/1999', 'mdy', '1999-04-03'],
    ['25/3/1999', 'mdy', anError],
    ['25/3/1999', null, '1999-03-25'],
    ['3/25/1999', null, '1999-03-25'],
    ['4/4/1999', null, '1999-04-04'],
    ['4/3/1999', null, anError],
  ] as const)('reads %s in the order %s as %s', ([text, order, expected]) => {
    expect(readCell('birthDate', text, order)).toEqual(expected);
  });
});

describe('reading other cells', () => {
  test.for([
    ['yearAdmitted', '2009', 2009],
    ['yearAdmitted', '2009/10', 2009],
    ['yearGraduated', '2009/10', 2010],
    ['yearGraduated', '1999/2000', 2000],
    ['yearGraduated', '1999/00', 2000],
    ['yearGraduated', '2012/2013 session', 2013],
    ['yearGraduated', 'Class of 2009', 2009],
    ['yearGraduated', '28/11/2009', 2009],
    ['yearGraduated', '2009.0', 2009],
    ['yearGraduated', '2009/2013', anError],
    ['yearGraduated', '09', anError],
    ['yearGraduated', '2045', anError],
    ['gender', 'FEMALE', 'female'],
    ['gender', 'm', 'male'],
    ['gender', 'W', anError],
    ['status', 'Graduated', 'graduate'],
    ['status', 'tobedeleted', 'left'],
    ['status', 'M.Sc.', aSkippedRow],
    ['isConfidential', 'Y', true],
    ['isConfidential', 'No', false],
    ['isConfidential', '', null],
    ['isConfidential', 'perhaps', aSkippedRow],
    ['isDeceased', 'LATE', true],
    ['diedOn', '3/4/2020', '2020-04-03'],
    ['email', ' Ada@Example.COM ', 'ada@example.com'],
    ['email', 'nil', null],
    ['email', 'ada@', anError],
    ['phone', '+234 803 123 4567', '+234 803 123 4567'],
    ['phone', '8031234567.0', '8031234567'],
    ['phone', '2.348E+12', anError],
    ['firstName', 'Null', 'Null'],
    ['firstName', 'N/A', null],
    ['otherNames', 'NIL', null],
    ['otherNames', ' Bọ́lá \u200B  Ade\n', 'Bọ́lá Ade'.normalize('NFC')],
    ['program', '="0123"', '0123'],
    ['program', '#REF!', anError],
    ['program', 'x'.repeat(161), anError],
  ] as const)('reads %s %j as %j', ([field, text, expected]) => {
    expect(readCell(field, text)).toEqual(expected);
  });

  test('keeps the person with a blank field if only an optional cell cannot be read', () => {
    const validate = createRowValidator({
      columns: [
        { at: 0, key: 'number', field: 'matricNumber' },
        { at: 1, key: 'name', field: 'lastName' },
        { at: 2, key: 'mail', field: 'email' },
        { at: 3, key: 'state', field: 'status' },
      ],
      settings: { nameOrder: 'last-first', dateOrder: 'dmy', departments: {} },
      dateSystem: 1900,
      thisYear: 2026,
    });
    const errors: RowError[] = [];
    expect(validate({ line: 7, cells: ['csc / 15/0012 ', 'Bello', 'ada', 'deceased'] }, errors)).toMatchObject({
      matricNumber: 'csc / 15/0012',
      matricKey: 'CSC150012',
      email: null,
      status: null,
      isDeceased: true,
    });
    expect(errors).toEqual([
      { line: 7, column: 'mail', value: 'ada', reason: 'This is not an email address.', isRowSkipped: false },
    ]);
  });

  test.for([
    ['7.4E+07', null],
    ['7,4E+07', null],
    ['73928E05', '73928E05'],
    ['20150012.0', '20150012'],
    ['0012', '0012'],
  ] as const)('reads the matric number %s as %s', ([text, expected]) => {
    const validate = createRowValidator({
      columns: [
        { at: 0, key: 'number', field: 'matricNumber' },
        { at: 1, key: 'name', field: 'lastName' },
      ],
      settings: { nameOrder: 'last-first', dateOrder: 'dmy', departments: {} },
      dateSystem: 1900,
      thisYear: 2026,
    });
    expect(validate({ line: 2, cells: [text, 'Bello'] }, [])?.matricNumber ?? null).toBe(expected);
  });
});
