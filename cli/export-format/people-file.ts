import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Institution } from '#contract/institution.ts';
import { type FormField, columnFields, profileRows } from '#contract/profile-fields.ts';
import { importedCareerColumns, readImportedCareer } from '#server/domain/careers/incoming-career.ts';
import { type IncomingPerson, NotImportable } from '#server/domain/people/incoming-person.ts';
import { detectDelimiter, parseCsv } from '#server/domain/roster/file/csv.ts';
import { RosterFileError } from '#server/domain/roster/file/roster-file.ts';
import type { TableRow } from '#server/domain/roster/file/table.ts';
import { detectEncoding, readStart, readText } from '#server/domain/roster/file/text.ts';
import { fold } from '#server/domain/search/folding.ts';
import { readStoredShape } from '../firestore/stored-shape.ts';
import { Failure } from '../support/command.ts';
import { describeFileError } from '../support/file-errors.ts';
import type { ImportRecord } from '../support/import-people.ts';

type Column = 'email' | FormField | (typeof importedCareerColumns)[number];

/** Other headings, in lower case, letters and digits only. */
const synonyms: Partial<Record<Column, string>> = {
  email: 'emailaddress mail emails',
  firstName: 'givenname givennames forename',
  middleName: 'middlenames',
  lastName: 'surname familyname',
  contactNumber: 'phone phonenumber telephone mobile',
  dob: 'dateofbirth birthdate birthday',
  matricNumber: 'matricno matric matriculationnumber studentnumber studentid',
  college: 'faculty school',
  department: 'dept',
  program: 'programme degree',
  yearAdmitted: 'admissionyear yearofadmission',
  yearGraduated: 'graduationyear yearofgraduation classof class',
  role: 'jobtitle job position occupation currentposition currentrole',
  employer: 'company organisation organization workplace placeofwork currentemployer',
  field: 'industry sector fieldofwork',
  from: 'since start startyear fromyear',
  to: 'until end endyear toyear',
  city: 'town cityofresidence',
  country: 'countryofresidence nation',
};

const toKey = (heading: string): string => fold(heading).replaceAll(' ', '');

const columnsByKey = new Map<string, Column>(
  [
    ...columnFields.map((field) => [field, profileRows[field].column] as const),
    ...(['email', ...importedCareerColumns] as const).map((name) => [name, name] as const),
  ].flatMap(([column, name]) =>
    [name, ...(synonyms[column]?.split(' ') ?? [])].map((heading) => [toKey(heading), column] as const),
  ),
);

export interface PeopleRow {
  readonly line: number;
  /** Undefined if the row has another number of cells than the header, or a NUL or quotation mark in the wrong place. */
  readonly texts: Readonly<Partial<Record<Column, string>>> | undefined;
}

/** @throws Failure if the file cannot be read or has no column of email addresses */
export async function readPeopleFile(path: string): Promise<{ rows: PeopleRow[]; ignored: string[] }> {
  const rows: TableRow[] = [];
  try {
    await stat(path);
    const open = () => createReadStream(path);
    const encoding = await detectEncoding(open);
    const start = new TextDecoder(encoding).decode(await readStart(open));
    const delimiter = /[,;\t|]/u.test(start) ? detectDelimiter(start) : ',';
    for await (const some of parseCsv(readText(open, encoding), delimiter)) rows.push(...some);
  } catch (error) {
    throw error instanceof RosterFileError
      ? new Failure(error.message)
      : describeFileError(error, `Cannot read ${path}`);
  }
  const [header, ...below] = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const headings = (header?.cells ?? []).map((cell) => cell.replace(/^\uFEFF/u, '').trim());
  const columns = headings.map((heading) => columnsByKey.get(toKey(heading)));
  if (!columns.includes('email')) throw new Failure(`${path} has no column "email". The first row has the headings.`);
  return {
    rows: below.map(({ line, cells, damage }) => ({
      line,
      texts:
        damage !== undefined || cells.length !== headings.length
          ? undefined
          : Object.fromEntries(columns.flatMap((column, at) => (column ? [[column, readCell(cells[at])]] : []))),
    })),
    ignored: headings.filter((heading, at) => columns[at] === undefined && heading !== ''),
  };
}

/** Removes the apostrophe that an export puts before a text that a spreadsheet would run as a formula. */
const readCell = (cell = ''): string => cell.trim().replace(/^'(?=[=+\-@\t\r])/u, '');

export const toImportRecord = (file: string, { line, texts }: PeopleRow, institution: Institution): ImportRecord => ({
  where: `${file}, row ${line}`,
  read: () => {
    if (!texts)
      throw new NotImportable('The row has more or fewer cells than the first row, or a stray quotation mark.');
    return toPerson(texts, institution);
  },
});

function toPerson(texts: NonNullable<PeopleRow['texts']>, institution: Institution): IncomingPerson {
  const { email = '' } = texts;
  if (email === '') throw new NotImportable('There is no email address.');
  const career = readImportedCareer(texts);
  if (Array.isArray(career))
    throw new NotImportable(career.map(({ pointer, message }) => `${pointer.slice(1)}: ${message}.`).join(' '));
  const kept = importedCareerColumns.flatMap((name) => (texts[name] ? [[name, texts[name]]] : []));
  return {
    account: { email, emailVerified: false, passwordHash: null, hiddenUntilSignIn: 'imported' },
    profile: {
      fields: { ...readStoredShape(withoutBlank(texts), institution), ...Object.fromEntries(kept) },
      isIncomplete: true,
      picture: null,
    },
    suggestedCareer: career,
  };
}

const withoutBlank = (texts: object): object =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
