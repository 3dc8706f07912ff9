import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generatedFiles } from './corpus/generated.ts';
import { readRosterFile } from './read-roster-file.ts';
import { readRosterRows } from './read-roster-rows.ts';
import { RosterFileError, type RosterSettings } from './roster-file.ts';

type Expected =
  | { readonly refused: string; readonly settings?: Partial<RosterSettings> }
  | {
      readonly warnings?: readonly string[];
      readonly errors?: readonly string[];
      readonly rows: number;
      readonly settings?: Partial<RosterSettings>;
    };

const damagedZip = 'This file is damaged or incomplete, probably because a download or a copy stopped early.';
const damagedXml = 'This Excel file is damaged: a part of it is not valid XML.';
const askForList = 'Ask for the list as XLSX or CSV.';

const corpus: Readonly<Record<string, Expected>> = {
  'empty.csv': { refused: 'This file is empty.' },
  'blank-rows.csv': { refused: 'This file has no rows with text.' },
  'header-only.csv': { refused: 'This file has a header, but no rows below it.' },
  'no-header.csv': { refused: 'No row with the names of the columns was found.' },
  'one-column.csv': { refused: 'This file has only one column.' },
  'pdf.csv': { refused: `This is a PDF, which has no rows and columns. ${askForList}` },
  'picture.csv': { refused: `This is a picture, which has no rows and columns. ${askForList}` },
  'photo-of-the-list.xlsx': { refused: `This is a picture, which has no rows and columns. ${askForList}` },
  'web-page.xls': { refused: 'This is a web page, although its name may end in .xls. Open it in Excel' },
  'spreadsheet-2003.xls': { refused: 'This is an XML spreadsheet of 2003. Open it in Excel' },
  'other.xml': { refused: 'This is an XML file.' },
  'students.json': { refused: 'This is a JSON file.' },
  'letter.rtf': { refused: 'This is a text document (RTF).' },
  'packed.csv': { refused: 'This is a compressed file. Unpack it' },
  'database.csv': { refused: 'This is a database. Export the table of students as CSV.' },
  'damaged-disk.csv': { refused: 'This file is neither a spreadsheet nor text.' },
  'old-excel.xls': {
    refused: 'This is an old Excel file (.xls). Open it in Excel or LibreOffice, choose “File”, “Save as”',
  },
  'password.xlsx': { refused: 'This file is protected by a password.' },
  'word.doc': { refused: 'This is a Word document.' },
  'open-quote.csv': { refused: 'The quotation mark that opens in row 2 is never closed.' },
  'two-numbers.csv': {
    refused: 'The columns “REG NO” and “MATRIC NO” have the same field.',
    settings: { mapping: { 'REG NO': 'matricNumber', 'MATRIC NO': 'matricNumber', SURNAME: 'lastName' } },
  },
  'wrong-quotes.csv': { rows: 1, errors: ['2: The quotation marks of this row do not match'] },
  'unquoted-comma.csv': { rows: 1, errors: ['2: This row has 5 cells, but the header has 4. Put quotation marks'] },
  'cut-off.csv': {
    rows: 2,
    warnings: ['cut-off'],
    errors: ['4: This row has 1 cell, but the header has 4. It may be cut off.'],
  },
  'nul.csv': { rows: 1, errors: ['2: This row has NUL characters'] },
  'scientific.csv': {
    rows: 1,
    warnings: ['scientific-notation'],
    errors: ['2 MATRIC NO: Excel has shortened this number'],
  },
  'lost-zeros.csv': { rows: 3, warnings: ['leading-zeros'] },
  'unknown-words.csv': {
    rows: 1,
    errors: [
      '2 SEX: This gender is not known.',
      '3 STATUS: This status is not known.',
      '4 CONFIDENTIAL: This word is not known. Use Y or N.',
    ],
  },
  'impossible-dates.csv': {
    rows: 6,
    errors: [
      '2 D.O.B: This day does not exist.',
      '3 D.O.B: This date has no month 13. The file’s order is day, month, year.',
      '4 D.O.B: This is only a year.',
      '5 D.O.B: The year must be between 1900 and',
      '6 D.O.B: This is not a date. Use YYYY-MM-DD.',
    ],
  },
  'ambiguous-dates.csv': { rows: 2, warnings: ['ambiguous-dates'] },
  'mixed-dates.csv': {
    rows: 3,
    warnings: ['mixed-dates'],
    errors: ['4 D.O.B: This date can be read with the day or the month first.'],
  },
  'new-year-birthdays.csv': { rows: 6, warnings: ['new-year-birthdays'] },
  'short-years.csv': { rows: 1, warnings: ['two-digit-years'] },
  'years.csv': {
    rows: 2,
    errors: [
      '2 YEAR OF ENTRY: This is not a year.',
      '2 YEAR OF GRADUATION: This is not a year.',
      '3 YEAR OF ENTRY: This is not a year.',
      '3 YEAR OF GRADUATION: This is not a year.',
    ],
  },
  'emails-and-phones.csv': {
    rows: 2,
    errors: [
      '2 EMAIL: This is not an email address.',
      '2 PHONE: Excel has shortened this number',
      '3 EMAIL: This cell has more than one email address.',
      '3 PHONE: This is not a phone number.',
    ],
  },
  'formula-errors.csv': {
    rows: 1,
    errors: [
      '2 REG NO: The formula of this cell failed (#REF!).',
      '3 DEPARTMENT: The formula of this cell failed (#N/A).',
    ],
  },
  'no-number.csv': {
    rows: 0,
    errors: [
      '2 MATRIC NO: The matric number is blank.',
      '3: The name is blank.',
      '4: The name is blank.',
      '5 MATRIC NO: The matric number is blank.',
    ],
  },
  'name-order.csv': { rows: 2, warnings: ['name-order'] },
  'not-utf-8.csv': {
    rows: 0,
    errors: ['2 SURNAME: This cell has characters that do not fit the encoding.'],
    settings: { encoding: 'utf-8' },
  },
  'zip-with-csv.zip': { refused: 'This zip is neither an Excel file nor OneRoster. Unpack it' },
  'document.docx': { refused: 'This is a Word document.' },
  'presentation.pptx': { refused: 'This is a presentation.' },
  'open-document.ods': { refused: 'This is an OpenDocument file. Open it in Excel or LibreOffice' },
  'binary.xlsb': { refused: 'This is a binary Excel file (.xlsb).' },
  'apple.numbers': { refused: 'This is an Apple Numbers file.' },
  'cut-off.xlsx': { refused: damagedZip },
  'changed-bit.xlsx': { refused: damagedZip },
  'declared-zip-bomb.xlsx': { refused: 'This file unpacks to more than 800 MB' },
  'hidden-zip-bomb.xlsx': { refused: damagedZip },
  'many-texts.xlsx': { refused: 'This Excel file is too large to be read at once. Save the sheet as “CSV UTF-8”' },
  'encrypted-entry.xlsx': { refused: 'This file is protected by a password.' },
  'entity-bomb.xlsx': { refused: damagedXml },
  'broken-xml.xlsx': { refused: damagedXml },
  'deep-xml.xlsx': { refused: damagedXml },
  'open-merge-tags.xlsx': { refused: damagedXml },
  'open-brackets.xlsx': { rows: 1 },
  'overlapping-merged-cells.xlsx': { rows: 5_000 },
  'open-parentheses.csv': { rows: 1 },
  'many-quotes.csv': { refused: 'The quotation mark that opens in row 2 is never closed.' },
  'only-commas.csv': { refused: 'Row 1 has more than 2 million characters.' },
  'blank-sheets.xlsx': { refused: 'All sheets of this Excel file are blank.' },
  'hidden-sheets.xlsx': { refused: 'This Excel file has no visible sheet with cells.' },
  'wrong-sheet.xlsx': { refused: 'This file has no sheet named “Staff”.', settings: { sheets: ['Staff'] } },
  'too-many-columns.xlsx': { refused: 'This sheet has more than 1000 columns.' },
  'too-many-columns.csv': { refused: 'Row 1 has 1200 columns.' },
  'several-sheets.xlsx': { rows: 1, settings: { sheets: ['Graduates'] } },
  'rounded-numbers.xlsx': {
    rows: 0,
    warnings: ['scientific-notation'],
    errors: ['2 MATRIC NO: Excel has shortened this number'],
  },
  'formula-without-result.xlsx': { rows: 0, errors: ['2 MATRIC NO: The formula of this cell has no stored result.'] },
  'long-cell.csv': { rows: 1, errors: ['2 DEPARTMENT: The text has 1048576 characters. The maximum is 160.'] },
  'no-line-breaks.csv': { refused: 'Row 2 has more than 2 million characters.' },
  'no-users.zip': { refused: 'This OneRoster file has no users.csv.' },
  'absent-users.zip': { refused: 'This OneRoster file has no users. Export it again' },
  'one-roster-2.zip': { refused: 'This is OneRoster version 2.0.' },
  'no-roles.zip': { rows: 1, warnings: ['not-only-students'] },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-corpus-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function readFileAndRows(path: string, settings: Partial<RosterSettings>) {
  const file = await readRosterFile(path, { departments: ['Physics'], settings });
  const errors: string[] = [];
  let rows = 0;
  for await (const batch of readRosterRows(path, file.settings)) {
    rows += batch.rows.length;
    for (const { line, column, reason } of batch.errors)
      errors.push(`${line}${column === null ? '' : ` ${column}`}: ${reason}`);
  }
  return { rows, errors, warnings: file.warnings.map(({ kind }) => kind) };
}

test.for(Object.entries(corpus))(
  'reading a malformed roster file › gives the expected message for %s',
  { tags: ['asvs-1.5.1', 'asvs-5.2.3'] },
  async ([name, expected]) => {
    const path = join(folder, name);
    await writeFile(path, generatedFiles[name]?.() ?? (await readFile(join(import.meta.dirname, 'corpus', name))));
    const outcome = readFileAndRows(path, expected.settings ?? {});
    if ('refused' in expected) {
      const error: unknown = await outcome.then(
        () => null,
        (error: unknown) => error,
      );
      expect(error).toBeInstanceOf(RosterFileError);
      expect((error as RosterFileError).message.slice(0, expected.refused.length)).toBe(expected.refused);
      return;
    }
    const { rows, errors, warnings } = await outcome;
    expect({ rows, warnings }).toEqual({ rows: expected.rows, warnings: expected.warnings ?? [] });
    expect(errors.map((error, at) => error.slice(0, expected.errors?.[at]?.length))).toEqual(expected.errors ?? []);
  },
);
