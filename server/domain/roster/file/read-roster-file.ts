import { fold } from '../../search/folding.ts';
import { detectDelimiter } from './csv.ts';
import { detectKind, type DetectedKind } from './detect-kind.ts';
import type { Sheet } from '#contract/roster-values.ts';
import { findHeader, maxTitleRows, toHeader, type Header } from './header.ts';
import { findMissingFields, isLeftOut, proposeMapping, toMappedColumns } from './mapping.ts';
import { hasRoles } from './one-roster.ts';
import { openAllSheets, openCsvBytes, openSheet, openTable, readSample, type TableSettings } from './open-table.ts';
import { RosterFileError, type RosterColumn, type RosterFile, type RosterSettings } from './roster-file.ts';
import { findHeadings } from './sheets.ts';
import { suggestDepartment } from './suggest-department.ts';
import { surveyTable, type Survey } from './survey.ts';
import { isBlankRow, type TableRow } from './table.ts';
import { detectEncoding, readStart, readText } from './text.ts';
import { findWarnings } from './warnings.ts';
import { readWorkbook, type Workbook } from './xlsx-workbook.ts';
import type { Zip } from './zip-reader.ts';

export interface ReadOptions {
  readonly settings?: Partial<RosterSettings>;
  readonly departments: readonly string[];
}

const sampleRows = 300;

/**
 * Detects the format of a roster file and proposes the settings to read it with. Reads the whole file once.
 * @throws RosterFileError if the file cannot be read
 */
export async function readRosterFile(path: string, options: ReadOptions): Promise<RosterFile> {
  const given = options.settings ?? {};
  const detected = await detectKind(path);
  const workbook = detected.kind === 'xlsx' ? await readWorkbook(detected.zip) : null;
  const sheets = workbook && detected.kind === 'xlsx' ? await findSheets(detected.zip, workbook) : [];
  const tableSettings = workbook
    ? {
        encoding: null,
        delimiter: null,
        sheets: given.sheets ?? (sheets.length > 1 ? [] : sheets.map(({ name }) => name)),
      }
    : await detectText(path, detected, given);
  if (workbook && tableSettings.sheets.length === 0) return toSheetQuestion(sheets, tableSettings, given);
  const first = await openTable(path, detected, tableSettings, workbook);
  const sample = await readSample(first, sampleRows);
  const header = chooseHeader(sample, given.headerLine ?? null);
  const table = openAllSheets(first, header, { detected, settings: tableSettings, workbook });
  const mapping = given.mapping ?? proposeMapping(header, rowsBelow(header, sample));
  const columns = toMappedColumns(header, mapping);
  const departments = { ...byFoldedName(options.departments), ...given.departments };
  const survey = await surveyTable(table, header, columns, departments);
  if (survey.rows === 0) throw new RosterFileError('This file has a header, but no rows below it.');
  const settings: RosterSettings = {
    ...tableSettings,
    headerLine: header.line,
    mapping,
    nameOrder:
      given.nameOrder ?? (survey.names['first-last'] > survey.names['last-first'] ? 'first-last' : 'last-first'),
    dateOrder: given.dateOrder ?? detectDateOrder(survey),
    departments,
  };
  return {
    kind: detected.kind,
    settings,
    sheets,
    rowCount: survey.rows,
    columns: describeColumns(header, survey, proposeMapping(header, rowsBelow(header, sample))),
    nameSamples: [...survey.nameSamples],
    missingFields: findMissingFields(columns.map(({ field }) => field)),
    unknownDepartments: [...survey.unknownDepartments]
      .map(([name, rows]) => ({ name, rows, suggestion: suggestDepartment(name, options.departments) }))
      .toSorted((a, b) => b.rows - a.rows),
    warnings: findWarnings(survey, {
      hasRoles: detected.kind !== 'oneroster' || hasRoles(detected.zip, header.keys),
      isDateOrderChosen: Boolean(given.dateOrder),
      isNameOrderChosen: Boolean(given.nameOrder),
    }),
  };
}

const byFoldedName = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [fold(name), name]));

const rowsBelow = (header: Header, rows: readonly TableRow[]) => rows.filter(({ line }) => line > header.line);

async function detectText(
  path: string,
  detected: DetectedKind,
  given: Partial<RosterSettings>,
): Promise<TableSettings> {
  const open = openCsvBytes(path, detected);
  const encoding = given.encoding ?? (await detectEncoding(open));
  if (given.delimiter) return { encoding, delimiter: given.delimiter, sheets: [] };
  const start = await readStart(open);
  let text = '';
  for await (const part of readText(async function* () {
    yield start;
  }, encoding))
    text += part;
  if (text.trim() === '') throw new RosterFileError('This file has no rows with text.');
  return { encoding, delimiter: detectDelimiter(text), sheets: [] };
}

async function findSheets(zip: Zip, workbook: Workbook): Promise<Sheet[]> {
  const sheets: Sheet[] = [];
  for (const { name } of workbook.sheets) {
    const headings = findHeadings(await readSample(openSheet(zip, workbook, name), maxTitleRows));
    if (headings) sheets.push({ name, headings });
  }
  if (sheets.length === 0) throw new RosterFileError('All sheets of this Excel file are blank.');
  return sheets;
}

/** The columns of a workbook are not known before staff have chosen sheets. */
const toSheetQuestion = (
  sheets: readonly Sheet[],
  settings: TableSettings,
  { departments = {} }: Partial<RosterSettings>,
): RosterFile => ({
  kind: 'xlsx',
  settings: { ...settings, headerLine: 1, mapping: {}, nameOrder: 'last-first', dateOrder: null, departments },
  sheets,
  rowCount: 0,
  columns: [],
  nameSamples: [],
  missingFields: [],
  unknownDepartments: [],
  warnings: [],
});

function chooseHeader(sample: readonly TableRow[], line: number | null): Header {
  if (line === null) return findHeader(sample);
  const row = sample.find((row) => row.line === line);
  if (row && !isBlankRow(row)) return toHeader(row);
  throw new RosterFileError(`Row ${line} of this file is blank, so it cannot be the header.`);
}

/** Returns the order that the rows show. Null if they contradict each other. Day, month, year if no row shows it. */
function detectDateOrder({ dates }: Survey): RosterSettings['dateOrder'] {
  if (dates.dmy > 0 && dates.mdy > 0) return null;
  return dates.mdy > 0 ? 'mdy' : 'dmy';
}

function describeColumns(header: Header, survey: Survey, guesses: Readonly<RosterSettings['mapping']>): RosterColumn[] {
  return header.keys.flatMap((key, at): RosterColumn[] => {
    const filled = survey.filled[at] ?? 0;
    if (filled === 0 && (header.cells[at] ?? '').trim() === '') return [];
    const leftOut = isLeftOut(header, at);
    const samples = leftOut ? [] : [...(survey.samples[at] ?? [])];
    return [{ key, fillRate: filled / survey.rows, samples, guess: guesses[key] ?? null, isLeftOut: leftOut }];
  });
}
