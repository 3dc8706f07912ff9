import type { RosterField, RosterRow } from '../file/roster-row.ts';

interface EntryColumn {
  readonly field: Exclude<keyof RosterRow, 'line' | 'matricKey'>;
  readonly name: string;
  /** SQL literal of a blank cell in a new entry. */
  readonly blank: string;
}

export const entryColumns: readonly EntryColumn[] = [
  { field: 'matricNumber', name: 'matric_number', blank: `''` },
  { field: 'lastName', name: 'last_name', blank: `''` },
  { field: 'firstName', name: 'first_name', blank: `''` },
  { field: 'otherNames', name: 'other_names', blank: `''` },
  { field: 'gender', name: 'gender', blank: 'null' },
  { field: 'birthDate', name: 'birth_date', blank: 'null' },
  { field: 'college', name: 'college', blank: 'null' },
  { field: 'department', name: 'department', blank: 'null' },
  { field: 'program', name: 'program', blank: 'null' },
  { field: 'yearAdmitted', name: 'year_admitted', blank: 'null' },
  { field: 'yearGraduated', name: 'year_graduated', blank: 'null' },
  { field: 'email', name: 'email', blank: 'null' },
  { field: 'phone', name: 'phone', blank: 'null' },
  { field: 'status', name: 'status', blank: `'graduate'` },
  { field: 'isConfidential', name: 'is_confidential', blank: 'false' },
  { field: 'isDeceased', name: 'is_deceased', blank: 'false' },
  { field: 'diedOn', name: 'died_on', blank: 'null' },
];

export const columnList = entryColumns.map(({ name }) => name).join(', ');

export const newValues = entryColumns.map(({ name, blank }) => `coalesce(s.${name}, ${blank})`).join(', ');

/**
 * SQL expressions for the values of the entry `e` after the staged row `s`. A blank cell keeps the value, unless it
 * erases in this field.
 */
export const mergedValues = (erase: readonly RosterField[]): string[] =>
  entryColumns.map(({ field, name, blank }) =>
    (erase as readonly string[]).includes(field) ? `coalesce(s.${name}, ${blank})` : `coalesce(s.${name}, e.${name})`,
  );

/** SQL expression for one of the `mergedValues`. */
export const mergedValue = (of: EntryColumn['field'], erase: readonly RosterField[]): string =>
  mergedValues(erase)[entryColumns.findIndex(({ field }) => field === of)] ?? '';

/** SQL condition: whether the staged row `s` changes the entry `e`. Also true for a missing entry that is back. */
export const changesEntry = (erase: readonly RosterField[]): string =>
  `(e.gone_since is not null
    or (${mergedValues(erase).join(', ')}) is distinct from (${entryColumns.map(({ name }) => `e.${name}`).join(', ')}))`;
