import { CompiledQuery, sql } from 'kysely';
import * as z from 'zod/mini';
import type { DirectoryFilters, Facets } from '#contract/directory.ts';
import { Id } from '#contract/fields.ts';
import type { Db } from '../../db/client.ts';
import type { ListingAudience } from '../../db/schema.ts';
import { newMemberInterval } from '../../domain/accounts.ts';
import { type CardRow, cardColumns } from '../../domain/visibility.ts';
import { readCursor, writeCursor } from '../../platform/http/cursor.ts';

/*
 * Everything here reads the rows of one audience and nothing else, so what that audience may not see cannot be matched,
 * sorted or counted (migration 002).
 */

/** The place after which the next page starts: name and id of the last card. */
const PageKey = z.tuple([z.string(), Id]);

/** Cards in the order of their names, one page by key: the thousandth page costs what the first one costs. */
export async function findPage(
  db: Db,
  audience: ListingAudience,
  filters: DirectoryFilters,
  after: string | undefined,
  limit: number,
): Promise<{ rows: CardRow[]; next: string | null }> {
  const parameters: unknown[] = [audience];
  const conditions = buildConditions(filters, parameters);
  if (after !== undefined) {
    const [sortName, id] = readCursor(after, PageKey);
    conditions.push(`(sort_name, account_id) > ($${parameters.push(sortName)}, $${parameters.push(id)})`);
  }
  // One more than asked for tells whether there is a next page. Written out: with any number, the plan would be one for many.
  const { rows: found } = await db.executeQuery<CardRow>(
    CompiledQuery.raw(
      `select ${cardColumns.join(', ')} from listings where ${conditions.join(' and ')}
       order by sort_name, account_id limit ${limit + 1}`,
      parameters,
    ),
  );
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last ? writeCursor([last.sort_name, last.account_id]) : null };
}

/** The people who joined last, but more than 24 hours ago: signing up must not put a name on the welcome page at once. */
export function findNewest(db: Db, audience: ListingAudience, limit: number): Promise<CardRow[]> {
  return db
    .selectFrom('listings')
    .select(cardColumns)
    .where('audience', '=', audience)
    .where('listed_at', '<', sql<Date>`now() - ${newMemberInterval}::interval`)
    .orderBy('listed_at', 'desc')
    .limit(limit)
    .execute();
}

/** Returns how many people match, and how many departments they name. */
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

type CountedColumn = 'college' | 'department' | 'program' | 'year_graduated';

async function countBy(db: Db, audience: ListingAudience, column: CountedColumn, filters: DirectoryFilters) {
  const parameters: unknown[] = [audience];
  // '' and 0 stand for a value that this audience may not see.
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

/**
 * The audience, which is the first parameter, and the filters as conditions; their values are added to the parameters. The
 * table of listings and the table of counts have the same columns for them. As text, because these are asked all the time:
 * building them in another way took longer than asking.
 */
function buildConditions(filters: DirectoryFilters, parameters: unknown[]): string[] {
  const { college, department, program, graduatedFrom, graduatedTo } = filters;
  const conditions = ['audience = $1'];
  const add = (condition: string, value: string | number | undefined) => {
    if (value !== undefined) conditions.push(`${condition} $${parameters.push(value)}`);
  };
  add('college =', college);
  add('department =', department);
  add('program =', program);
  // In the table of counts 0 stands for a hidden year, which no range may match.
  if (graduatedFrom !== undefined || graduatedTo !== undefined) conditions.push('year_graduated > 0');
  add('year_graduated >=', graduatedFrom);
  add('year_graduated <=', graduatedTo);
  return conditions;
}
