import { sql } from 'kysely';
import type { ChangeFilter, PlannedChange } from '#contract/roster.ts';
import type { ChangeKind } from '#contract/roster-values.ts';
import type { Db } from '#server/db/client.ts';
import { searchWords } from '../../search/folding.ts';
import { formatLine } from '../file/sheets.ts';
import { toMatricKey } from '../matric-key.ts';
import { canBeMissing } from './compare-rows.ts';
import { type EntryField, changesEntry, entryColumns, mergedValue, mergedValues } from './entry-columns.ts';
import type { ImportOptions } from './import-options.ts';

type Value = string | number | boolean | null;

const formatValue = (value: Value): string | null =>
  typeof value === 'boolean' ? (value ? 'Yes' : 'No') : value === '' || value === null ? null : String(value);

/**
 * Returns what the staged rows would do to the roster now, as `applyRows` does it: in the order of the file, missing
 * people in the order of the roster.
 * @param after cursor: the `at` of the last change that was read
 */
export async function findPlannedChanges(
  db: Db,
  options: ImportOptions,
  { kind, field, q = '' }: ChangeFilter,
  { after, limit }: { after: number; limit: number },
): Promise<(PlannedChange & { readonly at: number })[]> {
  const { erase = [] } = options;
  const kinds: Record<ChangeKind, string> = {
    changed: `e.id is not null and not s.is_duplicate and ${changesEntry(erase)}`,
    new: 'e.id is null and not s.is_duplicate',
    missing: `s.line is null and ${canBeMissing(options)}`,
  };
  const column = entryColumns.find((one) => one.field === field);
  const { rows } = await sql<{ at: number; line: number | null; isBack: boolean; before: Value[]; after: Value[] }>`
    select * from (
      select coalesce(s.line, e.id)::float8 as at, s.line, s.line is not null and e.gone_since is not null as "isBack",
        json_build_array(${sql.raw(entryColumns.map(({ name }) => `e.${name}`).join(', '))}) as before,
        json_build_array(${sql.raw(mergedValues(erase).join(', '))}) as after
      from roster_staging s full join roster_entries e on e.matric_key = s.matric_key
      where ${sql.raw(kinds[kind])}
        and ${column ? sql.raw(`${mergedValue(column.field, erase)} is distinct from e.${column.name}`) : sql`true`}
        and ${matches(q)}
    ) as changes
    where at > ${after} order by at limit ${limit}`.execute(db);
  return rows.map(({ at, line, isBack, before, after: values }) => {
    const valueOf = (of: EntryField) => values[entryColumns.findIndex((one) => one.field === of)] ?? null;
    const names = [valueOf('lastName'), valueOf('firstName'), valueOf('otherNames')];
    const year = valueOf('yearGraduated');
    return {
      at,
      row: line === null ? null : formatLine(line, options.settings?.sheets ?? []),
      isBack,
      matricNumber: String(valueOf('matricNumber')),
      name: names.map(formatValue).filter(Boolean).join(' '),
      department: formatValue(valueOf('department')),
      yearGraduated: typeof year === 'number' ? year : null,
      values:
        kind === 'changed'
          ? entryColumns
              .map((one, index) => [one.field, before[index] ?? null, values[index] ?? null] as const)
              .filter(([, old, next]) => old !== next)
              .map(([of, old, next]) => ({ field: of, before: formatValue(old), after: formatValue(next) }))
          : [],
    };
  });
}

function matches(q: string) {
  const [key, words] = [toMatricKey(q), searchWords(q)];
  if (key === '') return sql`true`;
  return sql`(
    position(${key} in coalesce(s.matric_key, e.matric_key)) > 0
    or not exists (
      select from unnest(${words}::text[]) as typed where not exists (
        select from unnest(s.words || e.words) as word where starts_with(word, typed))))`;
}
