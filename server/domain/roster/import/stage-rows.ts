import { sql } from 'kysely';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Db } from '#server/db/client.ts';
import { createStreamWriter } from '#server/platform/storage/stream-writer.ts';
import type { RowError } from '../file/roster-row.ts';
import { linesPerSheet } from '../file/sheets.ts';
import { withRoster } from '../tables.ts';
import type { CopyChunk } from './copy-lines.ts';
import { columnList } from './entry-columns.ts';

export interface Staged {
  readonly unreadable: number;
  readonly repeated: number;
  readonly duplicates: number;
  readonly suppressed: number;
}

/** Receives the progress of a step, 0 to 1. Throws to cancel the step. */
export type OnProgress = (share: number) => Promise<void>;

const errorsPerStatement = 1_000;

/**
 * Replaces the staged rows with the rows of a file, by COPY. Identical rows are staged once, other rows with the same
 * matric number are marked as duplicates, and rows of people who have objected are left out.
 * @param rowCount expected number of rows, for the progress
 */
export async function stageRows(
  tx: Db,
  client: pg.PoolClient,
  chunks: AsyncIterable<CopyChunk>,
  {
    importId,
    rowCount,
    sheets,
    onProgress,
  }: { importId: number; rowCount: number; sheets: readonly string[]; onProgress: OnProgress },
): Promise<Staged> {
  await sql`truncate roster_staging`.execute(tx);
  await withRoster(tx).deleteFrom('roster_row_errors').where('import_id', '=', importId).execute();
  const errors: RowError[] = [];
  let unreadable = 0;
  const stream = client.query(copyFrom(`copy roster_staging (line, matric_key, ${columnList}, words) from stdin`));
  const writer = createStreamWriter(stream);
  let count = 0;
  try {
    for await (const chunk of chunks) {
      unreadable += chunk.unreadable;
      errors.push(...chunk.errors);
      if (chunk.count > 0) await writer.write(Buffer.from(chunk.lines.buffer));
      count += chunk.count;
      await onProgress(Math.min(1, count / Math.max(1, rowCount)));
    }
    await writer.end();
  } catch (error) {
    // The rollback would wait forever for an open COPY.
    stream.destroy();
    throw error;
  }
  await insertErrors(tx, importId, errors);
  await sql`analyze roster_staging`.execute(tx);
  const suppressed = await removeSuppressed(tx);
  const repeated = await removeCopies(tx, importId, sheets);
  return { unreadable, suppressed, repeated, duplicates: await markDuplicates(tx, importId, sheets) };
}

async function insertErrors(tx: Db, importId: number, errors: readonly RowError[]): Promise<void> {
  for (let from = 0; from < errors.length; from += errorsPerStatement)
    await withRoster(tx)
      .insertInto('roster_row_errors')
      .values(
        errors.slice(from, from + errorsPerStatement).map(({ line, column, value, reason, isRowSkipped }) => ({
          import_id: importId,
          line,
          column_name: column,
          value: value.replaceAll('\0', ''),
          reason,
          is_row_skipped: isRowSkipped,
        })),
      )
      .execute();
}

/** Writes a row number like `formatLine`. */
const lineName = (column: 'line' | 'first', sheets: readonly string[]) =>
  sheets.length > 1
    ? sql`${sql.ref(column)} % ${sql.lit(linesPerSheet)} || ' (' || (${sheets}::text[])[${sql.ref(column)} / ${sql.lit(linesPerSheet)} + 1] || ')'`
    : sql`${sql.ref(column)}::text`;

async function removeCopies(tx: Db, importId: number, sheets: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    with repeated as materialized (
      select matric_key from roster_staging group by matric_key having count(*) > 1
    ), rows as (
      select line, matric_number, min(line) over (partition by matric_key, ${sql.raw(columnList)}) as first
      from roster_staging join repeated using (matric_key)
    ), removed as (
      delete from roster_staging s using rows r where r.line = s.line and r.line > r.first
    )
    insert into roster_row_errors (import_id, line, column_name, value, reason, is_row_skipped)
    select ${importId}, line, null, matric_number, 'This row repeats row ' || ${lineName('first', sheets)} || ', and both count once.', true
    from rows where line > first`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

async function markDuplicates(tx: Db, importId: number, sheets: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    with repeated as materialized (
      select matric_key from roster_staging group by matric_key having count(*) > 1
    ), duplicates as (
      select matric_key, string_agg(${lineName('line', sheets)}, ', ' order by line) as lines
      from roster_staging join repeated using (matric_key) group by matric_key
    ), marked as (
      update roster_staging s set is_duplicate = true from duplicates d where d.matric_key = s.matric_key
      returning s.line, s.matric_number, d.lines
    )
    insert into roster_row_errors (import_id, line, column_name, value, reason, is_row_skipped)
    select ${importId}, line, null, matric_number,
      'Rows ' || left(lines, 200) || ' have the same matric number, so none of them is imported. Keep one of them.', true
    from marked`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Returns the key of an entry whose person has objected: it can be compared with a matric number, but does not reveal
 * it.
 */
export const suppressedKeySql = (key: string): string => `encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`;

export async function removeSuppressed(tx: Db): Promise<number> {
  const { rows } = await sql<{ some: boolean }>`
    select exists (select from roster_entries where suppressed_at is not null) as some`.execute(tx);
  if (!rows[0]?.some) return 0;
  const { numAffectedRows } = await sql`
    delete from roster_staging s using roster_entries e
    where e.suppressed_at is not null and e.matric_key = ${sql.raw(suppressedKeySql('s.matric_key'))}`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
