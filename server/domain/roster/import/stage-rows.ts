import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Db } from '../../../db/client.ts';
import { createStreamWriter } from '../../../platform/storage/stream-writer.ts';
import { type RosterField, type RosterRow, type RowError, isRowError } from '../file/roster-row.ts';
import { toEntryWords } from '../name-words.ts';
import { withRoster } from '../tables.ts';
import { columnList, entryColumns } from './entry-columns.ts';

/** The result of staging. */
export interface Staged {
  /** Rows that are not imported because they cannot be read. */
  readonly unreadable: number;
  readonly duplicates: number;
  readonly suppressed: number;
}

/** Receives the progress of a step, 0 to 1. Throws to cancel the step. */
export type OnProgress = (share: number) => Promise<void>;

/** Number of rows that are written at once. */
const rowsPerChunk = 1_000;

/** Maximum number of errors that are stored for download. A file with more has the same problem in every row. */
const maxStoredErrors = 10_000;

/**
 * Replaces the staged rows with the rows of a file, by COPY. Rows with the same matric number are marked as duplicates, and rows of people
 * who have objected are left out.
 * @param rowCount expected number of rows, for the progress
 */
export async function stageRows(
  tx: Db,
  client: pg.PoolClient,
  rows: AsyncIterable<RosterRow | RowError>,
  { rowCount, erase, onProgress }: { rowCount: number; erase: readonly RosterField[]; onProgress: OnProgress },
): Promise<Staged> {
  await sql`truncate roster_staging`.execute(tx);
  await withRoster(tx).deleteFrom('roster_row_errors').execute();
  const errors: RowError[] = [];
  let unreadable = 0;
  const stream = client.query(
    copyFrom(`copy roster_staging (line, matric_key, ${columnList}, digest, words) from stdin`),
  );
  const writer = createStreamWriter(stream);
  // The erased fields belong to the digest: with others, the same row can lead to other values.
  const eraseText = erase.toSorted().join();
  try {
    let [chunk, count, rowsInChunk] = ['', 0, 0];
    for await (const row of rows) {
      if (isRowError(row)) {
        if (row.isRowSkipped) unreadable++;
        if (errors.length < maxStoredErrors) errors.push(row);
        continue;
      }
      chunk += toCopyLine(row, eraseText);
      if (++rowsInChunk < rowsPerChunk) continue;
      await writer.write(chunk);
      count += rowsInChunk;
      [chunk, rowsInChunk] = ['', 0];
      await onProgress(Math.min(1, count / Math.max(1, rowCount)));
    }
    if (chunk !== '') await writer.write(chunk);
    await writer.end();
  } catch (error) {
    // The rollback would wait forever for an open COPY.
    stream.destroy();
    throw error;
  }
  await insertErrors(tx, errors);
  await sql`analyze roster_staging`.execute(tx);
  const suppressed = await removeSuppressed(tx);
  return { unreadable, suppressed, duplicates: await markDuplicates(tx) };
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

async function insertErrors(tx: Db, errors: readonly RowError[]): Promise<void> {
  for (let from = 0; from < errors.length; from += rowsPerChunk)
    await withRoster(tx)
      .insertInto('roster_row_errors')
      .values(
        errors.slice(from, from + rowsPerChunk).map(({ line, column, value, reason, isRowSkipped }) => ({
          line,
          column_name: column,
          value: value.replaceAll('\0', ''),
          reason,
          is_row_skipped: isRowSkipped,
        })),
      )
      .execute();
}

/** Marks rows with the same matric number, and names all of them as errors. @returns their number */
async function markDuplicates(tx: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    with duplicates as (
      select matric_key, string_agg(line::text, ', ' order by line) as lines
      from roster_staging group by matric_key having count(*) > 1
    ), marked as (
      update roster_staging s set is_duplicate = true from duplicates d where d.matric_key = s.matric_key
      returning s.line, s.matric_number, d.lines
    )
    insert into roster_row_errors (line, column_name, value, reason, is_row_skipped)
    select line, null, matric_number,
      'Rows ' || left(lines, 200) || ' have the same matric number, so none of them is imported. Keep one of them.', true
    from marked`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Returns the key of an entry whose person has objected: it can be compared with a matric number, but does not reveal it. */
export const suppressedKeySql = (key: string): string => `encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`;

/** Removes the staged rows of people who have objected. @returns their number */
export async function removeSuppressed(tx: Db): Promise<number> {
  const { rows } = await sql<{ some: boolean }>`
    select exists (select from roster_entries where suppressed_at is not null) as some`.execute(tx);
  if (!rows[0]?.some) return 0;
  const { numAffectedRows } = await sql`
    delete from roster_staging s using roster_entries e
    where e.suppressed_at is not null and e.matric_key = ${sql.raw(suppressedKeySql('s.matric_key'))}`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
