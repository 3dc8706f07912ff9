import { guessFields, type Header } from './header.ts';
import { recognizeHeading } from './headings.ts';
import { RosterFileError, type RosterSettings } from './roster-file.ts';
import type { RosterField } from './roster-row.ts';
import type { TableRow } from './table.ts';
import type { MappedColumn } from './validate-row.ts';

export function proposeMapping(header: Header, sample: readonly TableRow[]): Record<string, RosterField | null> {
  const guesses = guessFields(header, sample);
  return Object.fromEntries(header.keys.map((key, at) => [key, guesses[at] ?? null]));
}

export const isLeftOut = (header: Header, at: number): boolean =>
  recognizeHeading(header.cells[at] ?? '') === 'left-out';

/**
 * Returns the columns that are read. Columns of the mapping that the file does not have are ignored.
 * @throws RosterFileError if two columns have the same field, or a column is left out on purpose
 */
export function toMappedColumns(header: Header, mapping: RosterSettings['mapping']): MappedColumn[] {
  const columns = header.keys.flatMap((key, at): MappedColumn[] => {
    const field = Object.hasOwn(mapping, key) ? mapping[key] : null;
    return field ? [{ at, key, field }] : [];
  });
  for (const [index, { at, key, field }] of columns.entries()) {
    if (isLeftOut(header, at))
      throw new RosterFileError(`The archive does not store the column “${key}”. Do not choose a field for it.`);
    const other = columns.slice(0, index).find((column) => column.field === field);
    if (other) throw new RosterFileError(`The columns “${other.key}” and “${key}” have the same field. Choose one.`);
  }
  if (columns.some(({ field }) => field === 'fullName') && columns.some(({ field }) => field === 'lastName'))
    throw new RosterFileError('Choose either the column with the full name or the columns with its parts.');
  return columns;
}

/** Returns the required fields that are missing: `matricNumber`, and `lastName` unless there is a `fullName`. */
export function findMissingFields(fields: readonly RosterField[]): RosterField[] {
  const missing: RosterField[] = [];
  if (!fields.includes('matricNumber')) missing.push('matricNumber');
  if (!fields.includes('lastName') && !fields.includes('fullName')) missing.push('lastName');
  return missing;
}
