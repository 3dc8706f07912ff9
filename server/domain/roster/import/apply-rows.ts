import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { contestMovedPeople, deleteCodesOfMoved, findMovedPeople } from '../moved-people.ts';
import { forgetAgreements } from '../entry-questions.ts';
import { toEntryWords } from '../name-words.ts';
import { changesEntry, columnList, entryColumns, mergedValues, newValues } from './entry-columns.ts';
import { canBeMissing, stagedChanges } from './compare-rows.ts';
import type { ImportOptions } from './import-options.ts';
import { type OnProgress, removeSuppressed } from './stage-rows.ts';

/**
 * Number of rows that one statement inserts. Progress is recorded and a cancellation takes effect between statements.
 */
const rowsPerStatement = 25_000;

/** Days after which the next import deletes the values before an import. */
const undoDays = 90;

/**
 * Changes the roster to the staged rows: updates changed entries and keeps their earlier values, adds new ones, and
 * marks missing ones as gone. Keeps all links, and contests those of entries that become another person, whose codes it
 * deletes. Does not lock unchanged entries, so that claims continue.
 * @returns the numbers of entries, and of contested links
 */
export async function applyRows(
  tx: Db,
  importId: number,
  options: ImportOptions,
  onProgress: OnProgress,
): Promise<{ new: number; changed: number; missing: number; moved: number }> {
  const { erase = [] } = options;
  await removeSuppressed(tx);
  await sql`
    with old as (
      update roster_imports set can_undo = false
      where can_undo and applied_at < now() - make_interval(days => ${undoDays}) returning id
    )
    delete from roster_changes where import_id in (select id from old)`.execute(tx);
  await deleteCodesOfMoved(tx, stagedChanges(erase));
  const changed = await updateEntries(tx, importId, erase);
  const moved = await contestChanged(tx, importId);
  await forgetAgreements(tx, sql`select entry_id from roster_changes where import_id = ${importId}`);
  await onProgress(0.1);
  const missing = await markMissing(tx, importId, options);
  const added = await insertEntries(tx, importId, onProgress);
  await sql`analyze roster_entries`.execute(tx);
  await sql`truncate roster_staging`.execute(tx);
  return { new: added, changed, missing, moved };
}

async function updateEntries(tx: Db, importId: number, erase: NonNullable<ImportOptions['erase']>): Promise<number> {
  await sql`
    insert into roster_changes (import_id, entry_id, before)
    select ${importId}, e.id, to_jsonb(e) from roster_staging s join roster_entries e on e.matric_key = s.matric_key
    where not s.is_duplicate and ${sql.raw(changesEntry(erase))}`.execute(tx);
  const values = mergedValues(erase);
  const sets = entryColumns.map(({ name }, at) => `${name} = ${values[at]}`).join(', ');
  const { numAffectedRows } = await sql`
    update roster_entries e
    set ${sql.raw(sets)}, words = s.words, last_import = ${importId}, gone_since = null
    from roster_changes c, roster_staging s
    where c.import_id = ${importId} and e.id = c.entry_id and s.matric_key = e.matric_key`.execute(tx);
  await recountWords(tx, importId);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Contests the links of the entries that are another person now. After the update, no one is linked to a changed entry
 * until the commit.
 */
async function contestChanged(tx: Db, importId: number): Promise<number> {
  const moved = await findMovedPeople(
    tx,
    sql`
      select c.entry_id, null::int as line, c.before ->> 'last_name' as last_name, c.before ->> 'first_name' as first_name,
        (c.before ->> 'birth_date')::date as birth_date, e.last_name as new_last_name, e.first_name as new_first_name,
        e.birth_date as new_birth_date
      from roster_changes c join roster_entries e on e.id = c.entry_id where c.import_id = ${importId}`,
  );
  await contestMovedPeople(tx, moved, 'import');
  return moved.length;
}

/** Corrects `words` of the entries that kept a name because its cell is blank. The staged words lack this name. */
async function recountWords(tx: Db, importId: number): Promise<void> {
  const { rows } = await sql<{ id: number; lastName: string; firstName: string; otherNames: string }>`
    select e.id, e.last_name as "lastName", e.first_name as "firstName", e.other_names as "otherNames"
    from roster_changes c join roster_entries e on e.id = c.entry_id join roster_staging s on s.matric_key = e.matric_key
    where c.import_id = ${importId}
      and (coalesce(s.last_name, ''), coalesce(s.first_name, ''), coalesce(s.other_names, ''))
        is distinct from (e.last_name, e.first_name, e.other_names)`.execute(tx);
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const words = rows
      .slice(from, from + rowsPerStatement)
      .map(({ id, ...names }) => ({ id, words: toEntryWords(names) }));
    await sql`
      update roster_entries e set words = r.words
      from json_to_recordset(${JSON.stringify(words)}::json) as r (id bigint, words text[])
      where e.id = r.id`.execute(tx);
  }
}

async function markMissing(tx: Db, importId: number, options: ImportOptions): Promise<number> {
  const { numAffectedRows } = await sql`
    update roster_entries e set gone_since = ${importId}
    where ${sql.raw(canBeMissing(options))}
      and not exists (select from roster_staging s where s.matric_key = e.matric_key)`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

async function insertEntries(tx: Db, importId: number, onProgress: OnProgress): Promise<number> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select min(line) as first, max(line) as last from roster_staging`.execute(tx);
  const { first, last } = rows[0] ?? { first: null, last: null };
  if (first === null || last === null) return 0;
  let added = 0;
  for (let line = first; line <= last; line += rowsPerStatement) {
    const { numAffectedRows } = await sql`
      insert into roster_entries (matric_key, ${sql.raw(columnList)}, words, first_import, last_import)
      select s.matric_key, ${sql.raw(newValues)}, s.words, ${importId}, ${importId} from roster_staging s
      where s.line >= ${line} and s.line < ${line + rowsPerStatement} and not s.is_duplicate
        and not exists (select from roster_entries e where e.matric_key = s.matric_key)`.execute(tx);
    added += Number(numAffectedRows ?? 0n);
    await onProgress(0.1 + 0.9 * Math.min(1, (line - first + rowsPerStatement) / (last - first + 1)));
  }
  return added;
}
