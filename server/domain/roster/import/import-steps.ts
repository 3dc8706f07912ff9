import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type pg from 'pg';
import * as z from 'zod/mini';
import type { Institution } from '#contract/institution.ts';
import type { ImportCounts, ImportWarning, UndoCounts } from '#contract/roster.ts';
import { type Db, now } from '#server/db/client.ts';
import { defineJob, wholeArchiveTimeoutSeconds } from '#server/platform/jobs/define-job.ts';
import { type RosterFile, RosterFileError, type RosterSettings } from '../file/roster-file.ts';
import { recordStaffAction } from '../../staff/audit-log.ts';
import { fold } from '../../search/folding.ts';
import { withRoster } from '../tables.ts';
import { applyRows } from './apply-rows.ts';
import { compareRows, findDependencies, warnAboutCounts } from './compare-rows.ts';
import { readFileInThread, readRowsInThread } from './file-thread.ts';
import type { ImportOptions } from './import-options.ts';
import { type OnProgress, stageRows } from './stage-rows.ts';
import { undoRows } from './undo-rows.ts';

const importLock = 7_246_189;

/** The error for an import that cannot run. The message is for staff. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}

/** Waits for running steps of other imports, then excludes others until the transaction ends. */
export async function lockImports(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${importLock})`.execute(tx);
}

/** Like `lockImports`, but does not wait. @throws ImportRefused if another step runs */
export async function requireImportLock(tx: Db): Promise<void> {
  const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${importLock}) as free`.execute(tx);
  if (rows[0]?.free !== true) throw new ImportRefused('Another import is running. Try again when it has finished.');
}

/**
 * Detects how to read a file. Uses the mapping of the last file with the same headers, and the known spellings of
 * departments: those of institution.json replace the remembered ones.
 * @throws RosterFileError
 */
export async function detectFile(
  db: Db,
  path: string,
  { settings = {} }: ImportOptions,
  institution: Institution,
): Promise<RosterFile> {
  const departments = institution.colleges.flatMap((college) => college.departments);
  const aliases = await withRoster(db).selectFrom('roster_aliases').selectAll().execute();
  const known = Object.fromEntries([
    ...aliases.map(({ alias, department }) => [alias, department] as const),
    ...Object.entries(institution.departmentAbbreviations).flatMap(([department, abbreviations]) =>
      abbreviations.map((abbreviation) => [fold(abbreviation), department] as const),
    ),
  ]);
  const given = { ...settings, departments: { ...known, ...settings.departments } };
  const file = await readFileInThread(path, { settings: given, departments });
  if (settings.mapping) return file;
  const saved = await withRoster(db)
    .selectFrom('roster_mappings')
    .select('options')
    .where('headers_digest', '=', digestHeaders(file))
    .executeTakeFirst();
  const remembered = saved?.options.settings;
  // Not compared as text: jsonb does not keep the order of keys. Reading the file again takes seconds.
  if (!remembered || isDeepStrictEqual(remembered, pickRemembered(file.settings))) return file;
  return readFileInThread(path, { settings: { ...remembered, ...given }, departments });
}

const digestHeaders = ({ columns }: RosterFile): Buffer =>
  hash('sha256', JSON.stringify(columns.map(({ key }) => key).toSorted()), 'buffer');

const pickRemembered = ({ mapping, nameOrder, dateOrder }: RosterSettings) => ({ mapping, nameOrder, dateOrder });

export interface Checked {
  readonly counts: ImportCounts;
  readonly warnings: readonly ImportWarning[];
}

/**
 * Stages the rows of a file and compares them with the roster. The caller holds the lock of imports.
 * @throws RosterFileError
 */
export async function checkRows(
  tx: Db,
  client: pg.PoolClient,
  {
    importId,
    path,
    file,
    options,
    onProgress,
  }: { importId: number; path: string; file: RosterFile; options: ImportOptions; onProgress: OnProgress },
): Promise<Checked> {
  if (file.kind === 'xlsx' && file.settings.sheets.length === 0)
    throw new RosterFileError(
      `This file has several sheets: ${file.sheets.map(({ name }) => name).join(', ')}. Choose one, or several with the same headings (on the command line with --sheet).`,
    );
  if (file.missingFields.length > 0)
    throw new RosterFileError(
      `No column is set to ${nameFields(file.missingFields)}. Choose the fields under “Columns”, or with --mapping on the command line.`,
    );
  const staged = await stageRows(tx, client, readRowsInThread(path, file.settings), {
    importId,
    rowCount: file.rowCount,
    sheets: file.settings.sheets,
    onProgress,
  });
  const compared = await compareRows(tx, staged, options);
  return {
    counts: compared.counts,
    warnings: [...file.warnings, ...warnAboutCounts(compared, file.settings.sheets)],
  };
}

function nameFields(missing: RosterFile['missingFields']): string {
  const names = [
    ...(missing.includes('matricNumber') ? ['“Matric number”'] : []),
    ...(missing.includes('lastName') ? ['“Last name” or “Full name”'] : []),
  ];
  return names.join(', ');
}

/**
 * Applies the checked import, queues the review of open claims, and records it in the audit log. The caller holds the
 * lock of imports.
 * @param actor who applies it; null for the operator
 * @throws ImportRefused if the import is not checked, the staged rows are lost, or it changes more confirmed people
 * than the check has found
 */
export async function applyImport(
  tx: Db,
  importId: number,
  actor: string | null,
  onProgress: OnProgress,
): Promise<ImportCounts> {
  const found = await withRoster(tx)
    .selectFrom('roster_imports')
    .select(['state', 'options', 'counts', 'detected'])
    .where('id', '=', importId)
    .executeTakeFirst();
  if (found?.state !== 'checked' || !found.counts) throw new ImportRefused('Compare the file with the roster first.');
  const { counts } = found;
  await requireStagedRows(tx, counts);
  const dependsOn = await findDependencies(tx, found.options);
  const { moved, ...changes } = await applyRows(tx, importId, found.options, onProgress);
  // Staff have not confirmed these, and a second person may be missing.
  if (moved > (counts.moved ?? 0))
    throw new ImportRefused(
      'Since the comparison, people were confirmed whom this import changes. Compare the file again.',
    );
  const applied = { ...counts, ...changes };
  const { numUpdatedRows } = await withRoster(tx)
    .updateTable('roster_imports')
    .set({
      state: 'applied',
      counts: JSON.stringify(applied),
      detected: null,
      applied_at: now,
      depends_on: dependsOn,
      can_undo: true,
      step: null,
    })
    .where('id', '=', importId)
    .where('state', '=', 'checked')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new ImportRefused('The import was discarded.');
  if (found.detected) await rememberSettings(tx, found.detected);
  await reviewOpenClaimsJob.queue(tx, {});
  await recordStaffAction(tx, {
    actor,
    action: 'roster-applied',
    subject: { kind: 'roster-import', id: String(importId) },
    details: { new: applied.new, changed: applied.changed, missing: applied.missing },
  });
  return applied;
}

/**
 * The table of staged rows is not in backups, and a crash of the database empties it.
 * @throws ImportRefused if rows of the last check are lost
 */
export async function requireStagedRows(db: Db, counts: ImportCounts): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from roster_staging`.execute(db);
  if ((rows[0]?.count ?? 0) < counts.new + counts.changed + counts.unchanged)
    throw new ImportRefused(
      'The rows of this import were lost, for example in a restart of the database. Compare the file again.',
    );
}

/**
 * Looks at the open claims again, because an import or its undo may have added the entry or the email address that one
 * of them was missing. Its handler is in `features/membership/tasks.ts`.
 */
export const reviewOpenClaimsJob = defineJob('membership:review-open-claims', z.unknown(), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

async function rememberSettings(tx: Db, file: RosterFile): Promise<void> {
  const options = JSON.stringify({ settings: pickRemembered(file.settings) });
  await withRoster(tx)
    .insertInto('roster_mappings')
    .values({ headers_digest: digestHeaders(file), options })
    .onConflict((conflict) => conflict.column('headers_digest').doUpdateSet({ options, used_at: now }))
    .execute();
  for (const [alias, department] of Object.entries(file.settings.departments))
    await withRoster(tx)
      .insertInto('roster_aliases')
      .values({ alias, department })
      .onConflict((conflict) => conflict.column('alias').doUpdateSet({ department }))
      .execute();
}

/** Returns the applied imports, the last one first. `refusal`: why it cannot be undone. Null if it can. */
export async function findApplied(db: Db) {
  const { rows } = await sql<{
    id: number;
    fileName: string;
    appliedAt: Date;
    counts: ImportCounts;
    refusal: string | null;
  }>`
    select id, file_name as "fileName", applied_at as "appliedAt", counts,
      case when not can_undo then 'The values before this import are no longer stored.' else (
        select 'The import of ' || later.file_name || ' builds on this one. Undo that import first.'
        from roster_imports later where later.state = 'applied' and i.id = any (later.depends_on)
        order by later.applied_at desc limit 1
      ) end as refusal
    from roster_imports i where state = 'applied' order by applied_at desc`.execute(db);
  return rows;
}

export async function requireUndoable(db: Db, id?: number) {
  const one = (await findApplied(db)).find((applied) => id === undefined || applied.id === id);
  if (!one) throw new ImportRefused('There is no applied import to undo.');
  if (one.refusal !== null) throw new ImportRefused(one.refusal);
  return one;
}

/**
 * Reverts an import, and records it in the audit log. The caller holds the lock of imports.
 * @param actor who undoes it; null for the operator
 * @throws ImportRefused if a later import builds on it
 */
export async function undoImport(tx: Db, importId: number, actor: string | null): Promise<UndoCounts> {
  const counts = await undoRows(tx, await requireUndoable(tx, importId));
  await reviewOpenClaimsJob.queue(tx, {});
  await withRoster(tx)
    .updateTable('roster_imports')
    .set({ state: 'undone', undo_counts: JSON.stringify(counts), undone_at: now, step: null })
    .where('id', '=', importId)
    .execute();
  await recordStaffAction(tx, {
    actor,
    action: 'roster-undone',
    subject: { kind: 'roster-import', id: String(importId) },
    details: { takenBack: counts.takenBack, kept: counts.kept, failed: counts.failed },
  });
  return counts;
}
