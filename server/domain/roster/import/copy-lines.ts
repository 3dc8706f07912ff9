import type { RosterRow, RowBatch, RowError } from '../file/roster-row.ts';
import { toEntryWords } from '../name-words.ts';
import { entryColumns } from './entry-columns.ts';

/** Maximum number of errors that are stored for download. A file with more has the same problem in every row. */
const maxStoredErrors = 10_000;

export interface CopyChunk {
  readonly lines: Uint8Array<ArrayBuffer>;
  readonly count: number;
  readonly unreadable: number;
  readonly errors: readonly RowError[];
}

export async function* toCopyChunks(batches: AsyncIterable<RowBatch>): AsyncGenerator<CopyChunk> {
  const encoder = new TextEncoder();
  let storedErrors = 0;
  for await (const { rows, errors } of batches) {
    const stored = errors.slice(0, maxStoredErrors - storedErrors);
    storedErrors += stored.length;
    yield {
      lines: encoder.encode(rows.map(toCopyLine).join('')),
      count: rows.length,
      unreadable: errors.filter(({ isRowSkipped }) => isRowSkipped).length,
      errors: stored,
    };
  }
}

function toCopyLine(row: RosterRow): string {
  const values = [row.line, row.matricKey, ...entryColumns.map(({ field }) => row[field])];
  const words = toEntryWords({
    lastName: row.lastName ?? '',
    firstName: row.firstName ?? '',
    otherNames: row.otherNames ?? '',
  });
  return `${values.map(toCopyText).join('\t')}\t${toCopyArray(words)}\n`;
}

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
