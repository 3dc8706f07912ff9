import { sql } from 'kysely';
import type { DirectoryFilters } from '#contract/directory.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import { afterPrefix } from '#server/domain/search/folding.ts';
import { type ListingRow, listingColumns, filterConditions, hasFilters } from './listing-rows.ts';

/*
 * Finds people whose name begins with the search text, in the order of the names. Four index scans stop at the limit,
 * so a common name costs no more than a rare one.
 */

/** Sorts after a space and before letters and digits: folded names contain nothing else. */
const afterWord = '!';

/** Returns the SQL condition that each term is the prefix of a word in the name. */
export const matchNames = (terms: readonly string[]) =>
  sql.join(
    terms.map((term) => sql`(' ' || sort_name) like ${`% ${term}%`}`),
    sql` and `,
  );

/**
 * Returns people by their names: first surnames equal to the text, then first names equal to it, then surnames and
 * first names that begin with it. A text of several words can continue from the surname to the first name or the other
 * way round.
 * @param text search terms, folded, with spaces between them
 * @param limit maximum number of people; the others are later in the order
 */
export async function findByNamePrefix(
  db: Db,
  audience: ListingAudience,
  text: string,
  filters: DirectoryFilters,
  limit: number,
): Promise<ListingRow[]> {
  const filter = filterConditions(filters);
  // The planner does not use the value of a subquery. So all texts have the same plan, which PostgreSQL then keeps:
  // planning takes four times as long as reading the rows. With filters, the best plan depends on the values.
  const bound = (value: string) => (hasFilters(filters) ? sql`${value}` : sql`(select ${value}::text)`);
  const isWithin = (column: 'sort_name' | 'given_sort_name', from: string, to: string) =>
    sql`(${sql.ref(column)} >= ${bound(from)} and ${sql.ref(column)} < ${bound(to)})`;
  const select = (column: 'sort_name' | 'given_sort_name', condition: ReturnType<typeof isWithin>) => sql`
    (select ${listingColumns} from listings where audience = ${sql.lit(audience)} and ${condition} ${filter}
     order by ${sql.ref(column)}, account_id limit ${sql.lit(limit)})`;
  const end = text + afterWord;
  const last = text + afterPrefix;
  const scans = [
    select('sort_name', isWithin('sort_name', text, end)),
    select(
      'given_sort_name',
      sql`${isWithin('given_sort_name', text, end)} and not ${isWithin('sort_name', text, end)}`,
    ),
    select('sort_name', sql`${isWithin('sort_name', end, last)} and not ${isWithin('given_sort_name', text, end)}`),
    select(
      'given_sort_name',
      sql`${isWithin('given_sort_name', end, last)} and not ${isWithin('sort_name', text, last)}`,
    ),
  ];
  const { rows } = await sql<ListingRow>`${sql.join(scans, sql` union all `)} limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/**
 * Finds the first people by name whose surname begins with a term, and who have the other terms in their name. Reads
 * the names in order, while the search index would collect everyone who has one of the terms.
 * @param terms no term may be a prefix of another
 * @param limits `people` to find, and `names` to read for each term
 * @returns null if the scan reads `limits.names` names of a term before it finds `limits.people` people
 */
export async function findBySurnames(
  db: Db,
  audience: ListingAudience,
  terms: readonly string[],
  limits: { readonly people: number; readonly names: number },
): Promise<ListingRow[] | null> {
  const scans = terms.toSorted().map((term) => {
    const names = sql`
      select account_id, sort_name from listings
      where audience = ${sql.lit(audience)} and sort_name >= ${term} and sort_name < ${term + afterPrefix}
      order by sort_name, account_id`;
    return sql`
      (select account_id, false as is_limit from (${names} limit ${limits.names}) as names
       where ${matchNames(terms)})
      union all (select account_id, true from (${names} offset ${limits.names} limit 1) as next)`;
  });
  const { rows } = await sql<ListingRow & { is_limit: boolean }>`
    select ${listingColumns}, is_limit
    from (${sql.join(scans, sql` union all `)} limit ${sql.lit(limits.people)}) as found
    join listings using (account_id) where audience = ${sql.lit(audience)}
    order by sort_name, account_id`.execute(db);
  return rows.length < limits.people || rows.some((row) => row.is_limit) ? null : rows;
}
