import { type ExpressionBuilder, sql } from 'kysely';
import * as z from 'zod/mini';
import type { DirectoryFilters, Facets } from '#contract/directory.ts';
import { Id } from '#contract/fields.ts';
import type { Db } from '../../db/client.ts';
import type { ListingAudience, Tables } from '../../db/schema.ts';
import { type CardRow, cardColumns } from '../../domain/visibility.ts';
import { readCursor, writeCursor } from '../../platform/cursor.ts';

/*
 * Everything here reads the rows of one audience and nothing else, so what that audience may not see cannot be matched,
 * sorted or counted (migration 002).
 */

/** The place after which the next page starts: name and id of the last card. */
const Key = z.tuple([z.string(), Id]);

/** Cards in the order of their names, one page by key: the thousandth page costs what the first one costs. */
export async function findPage(
  db: Db,
  audience: ListingAudience,
  filters: DirectoryFilters,
  after: string | undefined,
  limit: number,
): Promise<{ rows: CardRow[]; next: string | null }> {
  let query = db
    .selectFrom('listings')
    .select(cardColumns)
    .where('audience', '=', audience)
    .where((eb) => eb.and(matching(eb, filters)))
    .orderBy('sort_name')
    .orderBy('account_id')
    // One more than asked for tells whether there is a next page.
    .limit(limit + 1);
  if (after !== undefined) {
    const [sortName, id] = readCursor(after, Key);
    query = query.where((eb) => eb(eb.refTuple('sort_name', 'account_id'), '>', eb.tuple(sortName, id)));
  }
  const found = await query.execute();
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last ? writeCursor([last.sort_name, last.account_id]) : null };
}

/** The last ones to join. */
export function findNewest(db: Db, audience: ListingAudience, limit: number): Promise<CardRow[]> {
  return db
    .selectFrom('listings')
    .select(cardColumns)
    .where('audience', '=', audience)
    .orderBy('listed_at', 'desc')
    .limit(limit)
    .execute();
}

/** How many people match. */
export async function countPeople(db: Db, audience: ListingAudience, filters: DirectoryFilters): Promise<number> {
  const { people } = await db
    .selectFrom('listing_counts')
    .select(sql<number>`coalesce(sum(people), 0)::int`.as('people'))
    .where('audience', '=', audience)
    .where((eb) => eb.and(matching(eb, filters)))
    .executeTakeFirstOrThrow();
  return people;
}

/** The values of each field with their counts; a field's own filter does not narrow its list, so one can change one's mind. */
export async function findFacets(db: Db, audience: ListingAudience, filters: DirectoryFilters): Promise<Facets> {
  const { college: _c, ...butCollege } = filters;
  const { department: _d, ...butDepartment } = filters;
  const { program: _p, ...butProgram } = filters;
  const [colleges, departments, programs, years] = await Promise.all([
    countBy(db, audience, 'college', butCollege),
    countBy(db, audience, 'department', butDepartment),
    countBy(db, audience, 'program', butProgram),
    findYears(db, audience, filters),
  ]);
  return { colleges, departments, programs, years };
}

/** How many graduated in each year, beside the other filters in force. */
export async function findYears(
  db: Db,
  audience: ListingAudience,
  filters: DirectoryFilters,
): Promise<Facets['years']> {
  const { graduatedFrom: _f, graduatedTo: _t, ...butYears } = filters;
  const years = await countBy(db, audience, 'year_graduated', butYears);
  return years.map(({ value, count }) => ({ value: Number(value), count }));
}

type Counted = 'college' | 'department' | 'program' | 'year_graduated';

function countBy(db: Db, audience: ListingAudience, column: Counted, filters: DirectoryFilters) {
  return (
    db
      .selectFrom('listing_counts')
      .select([sql<string>`${sql.ref(column)}::text`.as('value'), sql<number>`sum(people)::int`.as('count')])
      .where('audience', '=', audience)
      .where((eb) => eb.and(matching(eb, filters)))
      // '' and 0 stand for a value that this audience may not see.
      .where(sql<boolean>`${sql.ref(column)}::text not in ('', '0')`)
      .groupBy(column)
      .having(sql<boolean>`sum(people) > 0`)
      .orderBy(column)
      .execute()
  );
}

/** The filters as conditions; the table of listings and the table of counts have the same columns for them. */
function matching(
  eb: ExpressionBuilder<Tables, 'listings'> | ExpressionBuilder<Tables, 'listing_counts'>,
  { college, department, program, graduatedFrom, graduatedTo }: DirectoryFilters,
) {
  const on = eb as ExpressionBuilder<Tables, 'listings'>;
  return [
    ...(college === undefined ? [] : [on('college', '=', college)]),
    ...(department === undefined ? [] : [on('department', '=', department)]),
    ...(program === undefined ? [] : [on('program', '=', program)]),
    // In the table of counts 0 stands for a hidden year, which no range may match.
    ...(graduatedFrom === undefined && graduatedTo === undefined ? [] : [on('year_graduated', '>', 0)]),
    ...(graduatedFrom === undefined ? [] : [on('year_graduated', '>=', graduatedFrom)]),
    ...(graduatedTo === undefined ? [] : [on('year_graduated', '<=', graduatedTo)]),
  ];
}
