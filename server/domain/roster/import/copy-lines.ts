import { hash } from 'node:crypto';
import { type RosterField, type RosterRow, type RowError, isRowError } from '../file/roster-row.ts';
import { toEntryWords } from '../name-words.ts';
import { entryColumns } from './entry-columns.ts';

/** Number of rows that are written at once. */
const rowsPerChunk = 1_000;

/** Maximum number of errors that are stored for download. A file with more has the same problem in every row. */
const maxStoredErrors = 10_000;

/** Some rows of a file for the table of staged rows. */
export interface CopyChunk {
  /** Lines in the text format of COPY, in UTF-8. */
  readonly lines: Uint8Array<ArrayBuffer>;
  /** Number of lines. */
  readonly count: number;
  /** Rows that are left out because they cannot be read. */
  readonly unreadable: number;
  /** What is wrong with rows and cells. At most 10,000 for the whole file. */
  readonly errors: readonly RowError[];
}

/** Formats the rows of a file for COPY. @param erase fields whose blank cells erase the stored value */
export async function* toCopyChunks(
  rows: AsyncIterable<RosterRow | RowError>,
  erase: readonly RosterField[],
): AsyncGenerator<CopyChunk> {
  // The erased fields belong to the digest: with others, the same row can lead to other values.
  const eraseText = erase.toSorted().join();
  const encoder = new TextEncoder();
  let [text, count, unreadable, errorCount] = ['', 0, 0, 0];
  let errors: RowError[] = [];
  const take = (): CopyChunk => {
    const chunk = { lines: encoder.encode(text), count, unreadable, errors };
    [text, count, unreadable, errors] = ['', 0, 0, []];
    return chunk;
  };
  for await (const row of rows) {
    if (isRowError(row)) {
      if (row.isRowSkipped) unreadable++;
      if (errorCount++ < maxStoredErrors) errors.push(row);
      continue;
    }
    text += toCopyLine(row, eraseText);
    if (++count === rowsPerChunk) yield take();
  }
  yield take();
}

function toCopyLine(row: RosterRow, eraseText: string): string {
  const values = entryColumns.map(({ field }) => row[field]);
  const digest = hash('sha256', `${JSON.stringify(values)}${eraseText}`, 'hex');
  const words = toEntryWords({
    lastName: row.lastName ?? '',
    firstName: row.firstName ?? '',
    otherNames: row.otherNames ?? '',
  });
  return `${[row.line, row.matricKey, ...values].map(toCopyText).join('\t')}\t\\\\x${digest}\t${toCopyArray(words)}\n`;
}

/** Formats a value for the text format of COPY. PostgreSQL cannot store NUL. */
function toCopyText(value: string | number | boolean | null): string {
  if (value === null) return String.raw`\N`;
  const text = String(value);
  // Most values need no escape.
  if (!/[\\\t\n\r\0]/u.test(text)) return text;
  return text.replaceAll(
    /[\\\t\n\r\0]/gu,
    (sign) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[sign] ?? '',
  );
}

/** Words have only letters and digits. Quoted, because an unquoted `null` is no word. */
const toCopyArray = (words: readonly string[]): string => `{${words.map((word) => `"${word}"`).join(',')}}`;
