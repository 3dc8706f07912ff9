import { sql } from 'kysely';
import type { ImportCounts, ImportWarning } from '#contract/roster.ts';
import type { Db } from '#server/db/client.ts';
import { findMovedPeople } from '../moved-people.ts';
import { type EntryField, changesEntry, entryColumns, mergedValue, mergedValues } from './entry-columns.ts';
import type { RosterField } from '../file/roster-row.ts';
import { formatLine } from '../file/sheets.ts';
import type { ImportOptions } from './import-options.ts';
import type { Staged } from './stage-rows.ts';

export async function compareRows(
  tx: Db,
  staged: Staged,
  options: ImportOptions,
): Promise<{ counts: ImportCounts; movedLines: number[] }> {
  const { erase = [] } = options;
  const isKnown = 'e.id is not null and not s.is_duplicate';
  const values = mergedValues(erase);
  const changedPerField = entryColumns
    .map(
      ({ field, name }, at) =>
        `'${field}', count(*) filter (where ${isKnown} and ${values[at]} is distinct from e.${name})`,
    )
    .join(', ');
  const { rows } = await sql<{
    new: number;
    known: number;
    changed: number;
    missing: number;
    fields: Record<EntryField, number>;
  }>`
    select count(*) filter (where e.id is null and not s.is_duplicate)::int as new,
      count(*) filter (where ${sql.raw(isKnown)})::int as known,
      count(*) filter (where ${sql.raw(`${isKnown} and ${changesEntry(erase)}`)})::int as changed,
      json_build_object(${sql.raw(changedPerField)}) as fields,
      count(*) filter (where s.line is null and ${sql.raw(canBeMissing(options))})::int as missing
    from roster_staging s full join roster_entries e on e.matric_key = s.matric_key`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('A count has no row');
  const { new: added, known, changed, missing, fields } = row;
  const moved = await findMovedPeople(tx, stagedChanges(erase));
  return {
    counts: {
      new: added,
      changed,
      unchanged: known - changed,
      missing,
      fields: entryColumns
        .map(({ field }) => ({ field, count: fields[field] }))
        .filter(({ count }) => count > 0)
        .toSorted((a, b) => b.count - a.count),
      ...(moved.length > 0 && { moved: moved.length }),
      ...staged,
    },
    movedLines: moved.map(({ line }) => line ?? 0),
  };
}

export const stagedChanges = (erase: readonly RosterField[]) => sql`
  select e.id as entry_id, s.line, e.last_name, e.first_name, e.birth_date, ${sql.raw(mergedValue('lastName', erase))} as new_last_name,
    ${sql.raw(mergedValue('firstName', erase))} as new_first_name, ${sql.raw(mergedValue('birthDate', erase))} as new_birth_date
  from roster_staging s join roster_entries e on e.matric_key = s.matric_key where not s.is_duplicate`;

/** SQL condition: whether the entry `e` is missing if the file does not have it. A duplicate row is in the file. */
export const canBeMissing = ({ isPartial = false, years }: ImportOptions): string =>
  isPartial
    ? 'false'
    : `e.gone_since is null and e.suppressed_at is null
      ${years ? `and e.year_graduated between ${years.from} and ${years.to}` : ''}`;

/**
 * Returns the applied imports that the staged rows build on: they changed or missed an entry that is in the file, or
 * that the file says something about. A list of all people builds on every import.
 */
export async function findDependencies(tx: Db, options: ImportOptions): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select i.id from roster_imports i where i.state = 'applied' and i.can_undo and (${!options.isPartial && !options.years} or exists (
      select from roster_entries e where (
        i.id in (e.first_import, e.gone_since)
        or exists (select from roster_changes c where c.import_id = i.id and c.entry_id = e.id)
      ) and (
        exists (select from roster_staging s where s.matric_key = e.matric_key) or ${sql.raw(canBeMissing(options))}
      )))`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * Shares of the roster above which a change needs confirmation, and a second person. The file may be the wrong one, or
 * only a part.
 */
const [maxChangedShare, maxMissingShare] = [0.05, 0.01];

export const isManyChanged = (changed: number, entries: number): boolean => changed > entries * maxChangedShare;

export const isManyMissing = (missing: number, entries: number): boolean => missing > entries * maxMissingShare;

const maxNamedRows = 20;

export function warnAboutCounts(
  { counts, movedLines }: Awaited<ReturnType<typeof compareRows>>,
  sheets: readonly string[],
): ImportWarning[] {
  const { changed, unchanged, missing, duplicates, moved = 0 } = counts;
  const current = changed + unchanged + missing;
  const percent = (count: number) => `${((count / current) * 100).toFixed(1)} %`;
  const warnings: ImportWarning[] = [];
  if (isManyChanged(changed, current))
    warnings.push({
      kind: 'many-changed',
      count: changed,
      message: `${percent(changed)} of the entries would change. Check that the columns are mapped correctly.`,
    });
  if (isManyMissing(missing, current))
    warnings.push({
      kind: 'many-missing',
      count: missing,
      message: `${percent(missing)} of the entries are not in the file and would be marked as missing. If the file has only some of the people, import it as a partial list.`,
    });
  if (moved > 0)
    warnings.push({
      kind: 'confirmed-changed',
      count: moved,
      message: `This changes people who are confirmed: the name or the birth date of ${nameRows(movedLines, sheets)}. They no longer read their entry, and staff decide about each of them. A second person must approve the import.`,
    });
  if (duplicates > 0)
    warnings.push({
      kind: 'duplicates',
      count: duplicates,
      message: `${duplicates} rows share their matric number with another row and would not be imported.`,
    });
  return warnings;
}

function nameRows(lines: readonly number[], sheets: readonly string[]): string {
  const named = lines.slice(0, maxNamedRows).map((line) => formatLine(line, sheets));
  if (lines.length === 1) return `1 person, in row ${named[0]} of the file`;
  const more = lines.length > maxNamedRows ? ` and ${lines.length - maxNamedRows} more rows` : '';
  return `${lines.length} people, in rows ${named.join(', ')}${more} of the file`;
}
