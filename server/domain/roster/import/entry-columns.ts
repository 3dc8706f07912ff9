import type { RosterField, RosterRow } from '../file/roster-row.ts';

export type EntryField = Exclude<keyof RosterRow, 'line' | 'matricKey'>;

interface EntryColumn {
  readonly field: EntryField;
  readonly name: string;
  readonly blank: string;
  /** For values whose writing is no change: case and spaces of texts, and punctuation and prefixes of phone numbers. */
  readonly writing?: 'text' | 'phone';
}

export const entryColumns: readonly EntryColumn[] = [
  { field: 'matricNumber', name: 'matric_number', blank: `''`, writing: 'text' },
  { field: 'lastName', name: 'last_name', blank: `''`, writing: 'text' },
  { field: 'firstName', name: 'first_name', blank: `''`, writing: 'text' },
  { field: 'otherNames', name: 'other_names', blank: `''`, writing: 'text' },
  { field: 'gender', name: 'gender', blank: 'null' },
  { field: 'birthDate', name: 'birth_date', blank: 'null' },
  { field: 'college', name: 'college', blank: 'null', writing: 'text' },
  { field: 'department', name: 'department', blank: 'null', writing: 'text' },
  { field: 'program', name: 'program', blank: 'null', writing: 'text' },
  { field: 'yearAdmitted', name: 'year_admitted', blank: 'null' },
  { field: 'yearGraduated', name: 'year_graduated', blank: 'null' },
  { field: 'email', name: 'email', blank: 'null', writing: 'text' },
  { field: 'phone', name: 'phone', blank: 'null', writing: 'phone' },
  { field: 'status', name: 'status', blank: `'graduate'` },
  { field: 'isConfidential', name: 'is_confidential', blank: 'false' },
  { field: 'isDeceased', name: 'is_deceased', blank: 'false' },
  { field: 'diedOn', name: 'died_on', blank: 'null' },
];

export const columnList = entryColumns.map(({ name }) => name).join(', ');

export const newValues = entryColumns.map(({ name, blank }) => `coalesce(s.${name}, ${blank})`).join(', ');

/** Upper-case letters that NFKD does not decompose, and their lower case: `lower` knows only ASCII in the locale C. */
const [upperLetters, lowerLetters] = ['ØĐÐŁƁƊƘŊƆƐÆŒÞ', 'øđðłɓɗƙŋɔɛæœþ'];

const foldedText = (value: string): string =>
  `replace(lower(translate(normalize(${value}, NFKD), '${upperLetters}', '${lowerLetters}')), ' ', '')`;

const phoneDigits = (value: string): string => String.raw`ltrim(regexp_replace(${value}, '\(0\)|\D', '', 'g'), '0')`;

/** SQL condition: whether two phone numbers differ at most by a country code, which has up to three digits. */
function isSamePhone(one: string, other: string): string {
  const [a, b] = [phoneDigits(one), phoneDigits(other)];
  return `(least(length(${a}), length(${b})) >= 7 and abs(length(${a}) - length(${b})) <= 3
    and right(${a}, least(length(${a}), length(${b}))) = right(${b}, least(length(${a}), length(${b}))))`;
}

/**
 * SQL expressions for the values of the entry `e` after the staged row `s`. A blank cell keeps the value, unless it
 * erases in this field. A value that differs only in its writing keeps the stored one.
 */
export const mergedValues = (erase: readonly RosterField[]): string[] =>
  entryColumns.map(({ field, name, blank, writing }) => {
    const [staged, stored] = [`s.${name}`, `e.${name}`];
    const merged = `coalesce(${staged}, ${(erase as readonly string[]).includes(field) ? blank : stored})`;
    if (!writing) return merged;
    const isSame = writing === 'phone' ? isSamePhone(staged, stored) : `${foldedText(staged)} = ${foldedText(stored)}`;
    return `case when ${staged} <> ${stored} and ${isSame} then ${stored} else ${merged} end`;
  });

export const mergedValue = (of: EntryField, erase: readonly RosterField[]): string =>
  mergedValues(erase)[entryColumns.findIndex(({ field }) => field === of)] ?? '';

/** SQL condition: whether the staged row `s` changes the entry `e`. Also true for a missing entry that is back. */
export const changesEntry = (erase: readonly RosterField[]): string =>
  `(e.gone_since is not null
    or (${mergedValues(erase).join(', ')}) is distinct from (${entryColumns.map(({ name }) => `e.${name}`).join(', ')}))`;
