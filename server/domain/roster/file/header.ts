import { recognizeHeading } from './headings.ts';
import { RosterFileError } from './roster-file.ts';
import type { RosterField } from './roster-row.ts';
import { isBlankRow, trimEnd, type TableRow } from './table.ts';

export interface Header {
  readonly line: number;
  readonly keys: readonly string[];
  readonly cells: readonly string[];
}

export const maxTitleRows = 50;

export function toHeader(row: TableRow): Header {
  const { cells } = row;
  const used = new Set<string>();
  const keys = cells.map((cell, at) => {
    const name = cell.replaceAll(/\s+/gu, ' ').trim().slice(0, 100) || `Column ${at + 1}`;
    let key = name;
    for (let count = 2; used.has(key); count++) key = `${name} (${count})`;
    used.add(key);
    return key;
  });
  return { line: row.line, keys, cells };
}

/**
 * Finds the header below the title rows: the first row with at least three known headings, else the row with the most.
 * Without any known heading, it is the first row of at least two cells that are all text without digits.
 * @throws RosterFileError if there is no such row
 */
export function findHeader(rows: readonly TableRow[]): Header {
  const candidates = rows.slice(0, maxTitleRows).filter((row) => !isBlankRow(row));
  if (candidates.length === 0) throw new RosterFileError('This file has no rows with text.');
  const counts = candidates.map((row) => countHeadings(row.cells));
  const enough = counts.findIndex((count) => count >= 3);
  const most = Math.max(...counts);
  const at = enough >= 0 ? enough : most >= 2 ? counts.indexOf(most) : candidates.findIndex(looksLikeHeader);
  const row = candidates[at];
  if (row) return toHeader(row);
  throw new RosterFileError(
    'No row with the names of the columns was found. Add a row such as MATRIC NO, SURNAME, FIRST NAME above the first person.',
  );
}

export const countHeadings = (cells: readonly string[]): number => {
  const known = cells.map((cell) => recognizeHeading(cell)).filter((found) => found !== null);
  return new Set(known.map((found) => (found === 'left-out' ? found : found.field))).size;
};

const looksLikeHeader = ({ cells }: TableRow): boolean => {
  const texts = trimEnd(cells).map((cell) => cell.trim());
  return (
    texts.length >= 2 && texts.every((text) => text !== '' && !/\d/u.test(text)) && new Set(texts).size === texts.length
  );
};

/**
 * Guesses the field of each column. If several columns have a heading of the same field, a column with values wins,
 * then the more specific heading, then the first column.
 * @param sample rows below the header
 */
export function guessFields(header: Header, sample: readonly TableRow[]): (RosterField | null)[] {
  const guesses = header.cells.map((cell, at) => {
    const found = recognizeHeading(cell);
    if (!found || found === 'left-out') return null;
    return { ...found, at, isFilled: sample.some((row) => (row.cells[at] ?? '').trim() !== '') };
  });
  const best = new Map<RosterField, number>();
  const order = guesses
    .filter((guess) => guess !== null)
    .toSorted((a, b) => Number(b.isFilled) - Number(a.isFilled) || a.rank - b.rank || a.at - b.at);
  for (const { field, at } of order) if (!best.has(field)) best.set(field, at);
  const hasLastName = best.has('lastName');
  return guesses.map((guess, at) => {
    if (!guess || best.get(guess.field) !== at) return null;
    // A column with the full name is redundant beside separate names.
    return guess.field === 'fullName' && hasLastName ? null : guess.field;
  });
}
