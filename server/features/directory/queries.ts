import { CompiledQuery, sql } from 'kysely';
import type { DirectoryFilters, Facets } from '#contract/directory.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import { newMemberInterval } from '#server/domain/accounts/accounts.ts';
import { buildConditions } from '#server/domain/people/listing-conditions.ts';
import { type CardRow, cardColumns } from '#server/domain/people/visibility.ts';

/*
 * All queries read only the rows of one audience. So values that this audience may not see cannot be matched, sorted or
 * counted.
 */

const maxNewestPeople = 500;

/**
 * Returns the newest people, those with a picture first. Without the delay of 24 hours, a new account could put any name
 * on the welcome page.
 */
export function findFaces(db: Db, audience: ListingAudience, limit: number): Promise<CardRow[]> {
  return db
    .selectFrom((from) =>
      from
        .selectFrom('listings')
        .select([...cardColumns, 'listed_at'])
        .where('audience', '=', audience)
        .where('listed_at', '<', sql<Date>`now() - ${newMemberInterval}::interval`)
        .orderBy('listed_at', 'desc')
        .limit(maxNewestPeople)
        .as('newest'),
    )
    .select(cardColumns)
    .orderBy((order) => order('picture', 'is', null))
    .orderBy('listed_at', 'desc')
    .limit(limit)
    .execute();
}

export async function countPeople(
  db: Db,
  audience: ListingAudience,
  filters: DirectoryFilters,
): Promise<{ count: number; departments: number }> {
  const parameters: unknown[] = [audience];
  const { rows } = await db.executeQuery<{ count: number; departments: number }>(
    CompiledQuery.raw(
      `select coalesce(sum(people), 0)::int as count,
         (count(distinct department) filter (where people > 0 and department <> ''))::int as departments
       from listing_counts
       where ${buildConditions(filters, parameters).join(' and ')}`,
      parameters,
    ),
  );
  return rows[0] ?? { count: 0, departments: 0 };
}

/** Each list ignores the filter on its own field, so that users can change it. */
export async function findFacets(db: Db, audience: ListingAudience, filters: DirectoryFilters): Promise<Facets> {
  const { college: _c, ...withoutCollege } = filters;
  const { department: _d, ...withoutDepartment } = filters;
  const { program: _p, ...withoutProgram } = filters;
  const [colleges, departments, programs, years] = await Promise.all([
    countBy(db, audience, 'college', withoutCollege),
    countBy(db, audience, 'department', withoutDepartment),
    countBy(db, audience, 'program', withoutProgram),
    findYears(db, audience, filters),
  ]);
  return { colleges, departments, programs, years };
}

/** Only the filters on other fields apply. */
export async function findYears(
  db: Db,
  audience: ListingAudience,
  filters: DirectoryFilters,
): Promise<Facets['years']> {
  const { graduatedFrom: _f, graduatedTo: _t, ...withoutYears } = filters;
  const years = await countBy(db, audience, 'year_graduated', withoutYears);
  return years.map(({ value, count }) => ({ value: Number(value), count }));
}

type CountedColumn = 'college' | 'department' | 'program' | 'year_graduated';

async function countBy(db: Db, audience: ListingAudience, column: CountedColumn, filters: DirectoryFilters) {
  const parameters: unknown[] = [audience];
  // '' and 0 mean a value that this audience may not see.
  const { rows } = await db.executeQuery<{ value: string; count: number }>(
    CompiledQuery.raw(
      `select ${column}::text as value, sum(people)::int as count from listing_counts
       where ${buildConditions(filters, parameters).join(' and ')}
         and ${column}::text not in ('', '0')
       group by ${column} having sum(people) > 0 order by ${column}`,
      parameters,
    ),
  );
  return rows;
}
