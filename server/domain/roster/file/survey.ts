import { fold } from '../../search/folding.ts';
import { remember } from '../remember.ts';
import { readBody } from './body.ts';
import { cleanCell, isScientific } from './cells.ts';
import { findOrders, splitDate } from './dates.ts';
import type { Header } from './header.ts';
import { recognizeNameOrder } from './names.ts';
import type { RosterField } from './roster-row.ts';
import type { Table } from './table.ts';
import type { MappedColumn } from './validate-row.ts';

export interface Survey {
  rows: number;
  filled: number[];
  samples: Set<string>[];
  unknownDepartments: Map<string, number>;
  nameSamples: Set<string>;
  names: { 'last-first': number; 'first-last': number; unclear: number };
  dates: { dmy: number; mdy: number; both: number; same: number; known: number };
  birthDates: number;
  newYearBirthdays: number;
  shortYears: number;
  scientific: number;
  digitLengths: Map<number, number>;
  leadingZeros: number;
  isLastRowShort: boolean;
}

const allNames = new Set<RosterField>(['fullName', 'lastName', 'firstName', 'otherNames']);

const surveyedFields = new Set<RosterField>(['matricNumber', 'birthDate', 'diedOn', 'department', ...allNames]);

const maxSamples = 3;
const maxUnknownDepartments = 1_000;

const createSurvey = (columns: number): Survey => ({
  rows: 0,
  filled: Array.from({ length: columns }, () => 0),
  samples: Array.from({ length: columns }, () => new Set()),
  unknownDepartments: new Map(),
  nameSamples: new Set(),
  names: { 'last-first': 0, 'first-last': 0, unclear: 0 },
  dates: { dmy: 0, mdy: 0, both: 0, same: 0, known: 0 },
  birthDates: 0,
  newYearBirthdays: 0,
  shortYears: 0,
  scientific: 0,
  digitLengths: new Map(),
  leadingZeros: 0,
  isLastRowShort: false,
});

const addOne = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1);

/**
 * Reads a whole table and collects facts about it. Rows whose cells may be shifted only count as rows.
 * @param departments known names, by their folded spelling
 */
export async function surveyTable(
  table: Table,
  header: Header,
  columns: readonly MappedColumn[],
  departments: Readonly<Record<string, string>>,
): Promise<Survey> {
  const survey = createSurvey(header.keys.length);
  const isKnownDepartment = remember((name) => Object.hasOwn(departments, fold(name)));
  for await (const batch of readBody(table, header))
    for (const { row, problem, isShort } of batch) {
      survey.rows++;
      survey.isLastRowShort = isShort;
      if (problem !== null) continue;
      countCells(survey, row.cells);
      for (const column of columns) {
        const raw = row.cells[column.at] ?? '';
        if (!surveyedFields.has(column.field) || raw === '') continue;
        const cell = cleanCell(raw, column.field);
        if ('text' in cell && cell.text !== '') countField(survey, column, cell.text, table, isKnownDepartment);
      }
    }
  return survey;
}

function countCells(survey: Survey, cells: readonly string[]): void {
  for (const [at, samples] of survey.samples.entries()) {
    const text = (cells[at] ?? '').trim();
    if (text === '') continue;
    survey.filled[at] = (survey.filled[at] ?? 0) + 1;
    if (samples.size < maxSamples) samples.add(text.slice(0, 60));
  }
}

function countField(
  survey: Survey,
  { field }: MappedColumn,
  text: string,
  table: Table,
  isKnownDepartment: (name: string) => boolean,
): void {
  if (field === 'matricNumber') countMatricNumber(survey, text);
  else if (field === 'birthDate' || field === 'diedOn')
    countDate(survey, text, table.dateSystem, field === 'birthDate');
  else if (field === 'department') countDepartment(survey.unknownDepartments, text, isKnownDepartment);
  else if (field === 'fullName') survey.names[recognizeNameOrder(text) ?? 'unclear']++;
  if (allNames.has(field)) addNameSample(survey, text);
}

function addNameSample(survey: Survey, text: string): void {
  if (survey.nameSamples.size < 2 && /[^\0-\u007F]/u.test(text)) survey.nameSamples.add(text);
}

function countDepartment(
  unknown: Map<string, number>,
  text: string,
  isKnownDepartment: (name: string) => boolean,
): void {
  if (unknown.has(text) || (unknown.size < maxUnknownDepartments && !isKnownDepartment(text))) addOne(unknown, text);
}

function countMatricNumber(survey: Survey, text: string): void {
  if (isScientific(text)) survey.scientific++;
  if (!/^\d+$/u.test(text)) return;
  addOne(survey.digitLengths, text.length);
  if (text.startsWith('0')) survey.leadingZeros++;
}

function countDate(survey: Survey, text: string, dateSystem: 1900 | 1904, isBirthDate: boolean): void {
  const date = splitDate(text, dateSystem);
  if (!date || date === 'blank') return;
  survey.dates[findOrders(date)]++;
  if (date.hasShortYear) survey.shortYears++;
  if (!isBirthDate) return;
  survey.birthDates++;
  const [day, month] = date.order === 'known' ? [date.day, date.month] : [date.first, date.second];
  if (day === 1 && month === 1) survey.newYearBirthdays++;
}
