import { type RawBuilder, sql } from 'kysely';
import type { DirectoryFilters } from '#contract/directory.ts';
import type { Tables } from '#server/db/schema.ts';
import { type CardRow, cardColumns } from '#server/domain/people/visibility.ts';

const columns = [...cardColumns, 'given_sort_name', 'other_names', 'college', 'program'] as const;

export type ListingRow = CardRow & Pick<Tables['listings'], (typeof columns)[number]>;

export const listingColumns = sql.raw(columns.join(', '));

export const hasFilters = (filters: DirectoryFilters): boolean =>
  Object.values(filters).some((value) => value !== undefined);

export function filterConditions({
  college,
  department,
  program,
  graduatedFrom,
  graduatedTo,
}: DirectoryFilters): RawBuilder<unknown> {
  const conditions = [
    college !== undefined && sql`and college = ${college}`,
    department !== undefined && sql`and department = ${department}`,
    program !== undefined && sql`and program = ${program}`,
    graduatedFrom !== undefined && sql`and year_graduated >= ${graduatedFrom}`,
    graduatedTo !== undefined && sql`and year_graduated <= ${graduatedTo}`,
  ];
  return sql.join(
    conditions.filter((condition) => condition !== false),
    sql` `,
  );
}
