import { type InferResult, sql } from 'kysely';
import type { ImportStep } from '#contract/roster-values.ts';
import { type Db, inTransaction } from '#server/db/client.ts';
import { cancelRequests } from '../../staff/approvals.ts';
import type { RosterFile } from '../file/roster-file.ts';
import { withRoster } from '../tables.ts';
import type { ImportOptions } from './import-options.ts';
import { type Checked, ImportRefused } from './import-steps.ts';

const selectImports = (db: Db) =>
  withRoster(db)
    .selectFrom('roster_imports')
    .select([
      'id',
      'file_name as fileName',
      'state',
      'options',
      'detected',
      'counts',
      'undo_counts as undoCounts',
      'warnings',
      'step',
      'progress',
      'failure',
      'created_at as createdAt',
      'checked_at as checkedAt',
      'applied_at as appliedAt',
    ]);
export type RosterImport = InferResult<ReturnType<typeof selectImports>>[number];

const openStates = ['uploaded', 'checked'] as const;

/**
 * Records a new import. At most one is open.
 * @param accountId who imports; null for the operator
 * @throws ImportRefused if another import is open
 */
export async function insertImport(
  tx: Db,
  {
    fileName,
    digest,
    options,
    accountId,
  }: { fileName: string; digest: Buffer; options: ImportOptions; accountId: string | null },
): Promise<number> {
  const open = await findOpenImport(tx);
  const row = open
    ? undefined
    : await withRoster(tx)
        .insertInto('roster_imports')
        .values({
          file_name: fileName.slice(0, 200),
          file_digest: digest,
          options: JSON.stringify(options),
          account_id: accountId,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
  if (row) return row.id;
  throw new ImportRefused(
    `Another import is open${open ? `: ${open.fileName}` : ''}. Apply or discard it in the staff console first.`,
  );
}

export const findOpenImport = (db: Db): Promise<RosterImport | undefined> =>
  selectImports(db).where('state', 'in', openStates).executeTakeFirst();

export const findImport = (db: Db, id: number): Promise<RosterImport | undefined> =>
  selectImports(db).where('id', '=', id).executeTakeFirst();

export const findImports = (db: Db, limit: number): Promise<RosterImport[]> =>
  selectImports(db).orderBy('id', 'desc').limit(limit).execute();

export async function countEntries(db: Db): Promise<{ entries: number; claimed: number }> {
  const row = await withRoster(db)
    .selectFrom('roster_counts')
    .select(({ fn }) => [fn.sum<number>('entries').as('entries'), fn.sum<number>('claimed').as('claimed')])
    .executeTakeFirst();
  return { entries: row?.entries ?? 0, claimed: row?.claimed ?? 0 };
}

export async function saveDetected(db: Db, id: number, file: RosterFile): Promise<void> {
  await withRoster(db)
    .updateTable('roster_imports')
    .set({ detected: JSON.stringify(file), warnings: JSON.stringify(file.warnings), state: 'uploaded', counts: null })
    .where('id', '=', id)
    .where('state', 'in', openStates)
    .execute();
}

/** Stores the result of a check. @throws ImportRefused if the import was cancelled meanwhile */
export async function saveChecked(tx: Db, id: number, { counts, warnings }: Checked): Promise<void> {
  const { numUpdatedRows } = await withRoster(tx)
    .updateTable('roster_imports')
    .set({
      state: 'checked',
      counts: JSON.stringify(counts),
      warnings: JSON.stringify(warnings),
      // The transaction may have begun before an earlier check ended.
      checked_at: sql<Date>`clock_timestamp()`,
      step: null,
    })
    .where('id', '=', id)
    .where('state', 'in', openStates)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new ImportRefused('The import was discarded.');
}

export const checkedAgain = 'The file was compared again. Look at the new result, and confirm its warnings.';

export const isLastCheck = (one: RosterImport | undefined, checkedAt: string | undefined): boolean =>
  one?.checkedAt?.toISOString() === checkedAt;

/**
 * Changes the options of an open import, which must then be detected and checked again.
 * @returns false if it is closed
 */
export async function changeOptions(db: Db, id: number, options: ImportOptions): Promise<boolean> {
  const { numUpdatedRows } = await withRoster(db)
    .updateTable('roster_imports')
    .set({ options: JSON.stringify(options), state: 'uploaded', counts: null, detected: null })
    .where('id', '=', id)
    .where('state', 'in', openStates)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Cancels an open import, and the requests for its approval. A running step of it rolls back at its next progress.
 * @param cancelledBy null for the operator, or if the import was open too long
 * @returns false if it is closed
 */
export const cancelImport = (db: Db, id: number, cancelledBy: string | null): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    // Before the import: an approved request also locks itself first, and then its import.
    await cancelRequests(tx, 'roster-apply', { importId: id }, cancelledBy);
    const { numUpdatedRows } = await withRoster(tx)
      .updateTable('roster_imports')
      .set({ state: 'cancelled', detected: null, step: null })
      .where('id', '=', id)
      .where('state', 'in', openStates)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  });

/** Deletes an import whose file could not be stored. */
export async function deleteImport(db: Db, id: number): Promise<void> {
  await withRoster(db).deleteFrom('roster_imports').where('id', '=', id).execute();
}

/** Records the progress of a step. @throws ImportRefused if the import was cancelled */
export async function saveProgress(db: Db, id: number, step: ImportStep, share: number): Promise<void> {
  const { numUpdatedRows } = await withRoster(db)
    .updateTable('roster_imports')
    .set({ step, progress: Math.floor(share * 100), failure: '' })
    .where('id', '=', id)
    .where('state', '<>', 'cancelled')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new ImportRefused('The import was discarded.');
}

export async function saveFailure(db: Db, id: number, failure: string): Promise<void> {
  await withRoster(db).updateTable('roster_imports').set({ step: null, failure }).where('id', '=', id).execute();
}

export const findRowErrors = (db: Db, id: number, limit: number) =>
  withRoster(db)
    .selectFrom('roster_row_errors')
    .select(['line', 'column_name as column', 'value', 'reason'])
    .where('import_id', '=', id)
    .orderBy('line')
    .limit(limit)
    .execute();

export async function findImportsWithErrors(db: Db): Promise<ReadonlySet<number>> {
  const rows = await withRoster(db).selectFrom('roster_row_errors').select('import_id').distinct().execute();
  return new Set(rows.map((row) => row.import_id));
}

/** Cancels an import that has been open for some days, and deletes the errors of rows of old checks and cancelled imports. */
export async function cancelOldImports(db: Db, days: number): Promise<void> {
  const isOld = (column: 'created_at' | 'checked_at') =>
    sql<boolean>`${sql.ref(column)} < now() - make_interval(days => ${days})`;
  const old = await withRoster(db)
    .selectFrom('roster_imports')
    .select('id')
    .where('state', 'in', openStates)
    .where(isOld('created_at'))
    .execute();
  for (const { id } of old) await cancelImport(db, id, null);
  // A restore leaves errors of imports that it does not have.
  await withRoster(db)
    .deleteFrom('roster_row_errors')
    .where('import_id', 'not in', (of) =>
      of
        .selectFrom('roster_imports')
        .select('id')
        .where('state', '!=', 'cancelled')
        .where((is) => is.or([is('checked_at', 'is', null), is.not(isOld('checked_at'))])),
    )
    .execute();
  if (!(await findOpenImport(db))) await sql`truncate roster_staging`.execute(db);
}
