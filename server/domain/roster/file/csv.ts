import Papa from 'papaparse';
import { delimiters, RosterFileError, type Delimiter } from './roster-file.ts';
import { maxColumns, trimEnd, type TableRow } from './table.ts';

/** Maximum length of a record, in characters. A longer one is caused by a quotation mark that is never closed. */
const maxRecordChars = 2 * 1024 * 1024;

interface Parsed {
  readonly data: string[][];
  readonly errors: readonly { readonly code: string; readonly row: number }[];
  readonly meta: { readonly cursor: number };
}

/**
 * Parses all complete records of a text. Papa Parse has no public function that parses in chunks and waits for its
 * consumer, so this calls the parser below it.
 * @param isEnd whether the last record is complete too
 */
const parseText = (text: string, delimiter: Delimiter, isEnd: boolean): Parsed =>
  new Papa.Parser({ delimiter, newline: '\n' }).parse(text, 0, !isEnd) as Parsed;

/**
 * Parses CSV, in batches of rows. A first line such as `sep=;` is an empty row.
 * @throws RosterFileError if a quotation mark is never closed
 */
export async function* parseCsv(text: AsyncIterable<string>, delimiter: Delimiter): AsyncGenerator<TableRow[]> {
  let rest = '';
  let line = 0;
  const takeRows = (isEnd: boolean): TableRow[] => {
    const { data, errors, meta } = parseText(rest, delimiter, isEnd);
    if (errors.some(({ code }) => code === 'MissingQuotes')) throw describeOpenQuote(line + data.length);
    const badRows = new Set(errors.map(({ row }) => row));
    const hasNul = rest.includes('\0');
    const findDamage = (cells: string[], at: number) => {
      if (hasNul && cells.some((cell) => cell.includes('\0'))) return 'nul';
      return badRows.has(at) ? 'quotes' : null;
    };
    const rows = data.map((cells, at): TableRow => toRow(cells, line + at + 1, findDamage(cells, at)));
    line += data.length;
    rest = rest.slice(meta.cursor);
    if (rest.length > maxRecordChars) throw describeLongRecord(rest, line + 1);
    return rows;
  };
  for await (const chunk of text) {
    rest += chunk;
    const rows = takeRows(false);
    if (rows.length > 0) yield rows;
  }
  if (rest !== '') yield takeRows(true);
}

function toRow(cells: string[], line: number, damage: TableRow['damage'] | null): TableRow {
  // Excel may write thousands of blank cells at the end of each row.
  const width = cells.length > maxColumns ? trimEnd(cells).length : cells.length;
  if (width > maxColumns)
    throw new RosterFileError(
      `Row ${line} has ${width} columns. The maximum is ${maxColumns}. Delete the columns that are not needed.`,
    );
  if (width < cells.length) cells.length = maxColumns;
  if (line === 1 && /^sep=.?$/u.test(cells[0] ?? '')) return { line, cells: [] };
  return damage ? { line, cells, damage } : { line, cells };
}

const describeOpenQuote = (line: number) =>
  new RosterFileError(`The quotation mark that opens in row ${line} is never closed. Correct this row and try again.`);

const describeLongRecord = (record: string, line: number) =>
  record.includes('"')
    ? describeOpenQuote(line)
    : new RosterFileError(`Row ${line} has more than 2 million characters. This is not a table of people.`);

/**
 * Returns the delimiter that gives the most rows of equal width.
 * @param sample the start of the text
 * @throws RosterFileError if every delimiter gives a single column
 */
export function detectDelimiter(sample: string): Delimiter {
  const declared = /^sep=([,;\t|])\s*$/mu.exec(sample.slice(0, 6))?.[1];
  if (declared) return declared as Delimiter;
  let best: { delimiter: Delimiter; rows: number; width: number } | null = null;
  for (const delimiter of delimiters) {
    const found = { delimiter, ...measureWidth(sample, delimiter) };
    if (found.width < 2) continue;
    if (!best || found.rows > best.rows || (found.rows === best.rows && found.width > best.width)) best = found;
  }
  if (best) return best.delimiter;
  throw new RosterFileError(
    'This file has only one column. The columns of a CSV file must be separated by commas, semicolons, tabs or vertical bars.',
  );
}

function measureWidth(sample: string, delimiter: Delimiter): { rows: number; width: number } {
  // The last record of a sample may be cut off, unless it is the only one.
  const complete = parseText(sample, delimiter, false).data;
  const data = complete.length > 0 ? complete : parseText(sample, delimiter, true).data;
  const counts = new Map<number, number>();
  for (const { length } of data) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
  const most = [...counts].toSorted(([widthA, a], [widthB, b]) => b - a || widthB - widthA)[0];
  return most ? { width: most[0], rows: most[1] } : { width: 0, rows: 0 };
}
