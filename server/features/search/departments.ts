import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import { searchWords } from '#server/domain/search/folding.ts';
import { type ListingRow, listingColumns } from './listing-rows.ts';
import { isShortNumber } from './word-conditions.ts';

/*
 * Finds the first people of departments and colleges by name. The search index would fetch and sort all of their people first.
 */

/**
 * Finds the people of the departments and colleges that have a word with each search term as its prefix.
 * @param limit maximum number of people of each department and college
 * @returns null if at most `maxPeople` people match, or no department or college of the institution
 */
export async function findFirstOfDepartments(
  db: Db,
  audience: ListingAudience,
  { colleges }: Institution,
  terms: readonly string[],
  { maxPeople, limit }: { maxPeople: number; limit: number },
): Promise<ListingRow[] | null> {
  const isMatch = (text: string) => {
    const words = searchWords(text);
    return terms.every((term) => words.some((word) => word.startsWith(term)));
  };
  const configured = colleges.flatMap(({ code, departments }) => [code, ...departments]);
  if (terms.some(isShortNumber) || !configured.some(isMatch)) return null;
  const { rows: counts } = await sql<{ college: string; department: string; people: number }>`
    select college, department, sum(people)::int as people from listing_counts
    where audience = ${sql.lit(audience)} group by 1, 2`.execute(db);
  const matching = counts.filter(({ college, department }) => isMatch(college) || isMatch(department));
  if (matching.reduce((sum, { people }) => sum + people, 0) <= maxPeople) return null;
  const firstOf = (column: 'college' | 'department') => {
    const places = new Set(matching.map((row) => row[column]).filter(isMatch));
    return sql`
      select people.* from unnest(${[...places]}::text[]) as place cross join lateral (
        select ${listingColumns} from listings where audience = ${sql.lit(audience)} and ${sql.ref(column)} = place
        order by sort_name, account_id limit ${sql.lit(limit)}
      ) as people`;
  };
  const { rows } = await sql<ListingRow>`${firstOf('college')} union all ${firstOf('department')}`.execute(db);
  return rows;
}
