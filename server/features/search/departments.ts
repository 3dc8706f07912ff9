import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import { searchWords } from '#server/domain/search/folding.ts';
import { type ListingRow, listingColumns } from './listing-rows.ts';
import { isShortNumber } from './word-conditions.ts';

/*
 * Finds the first people of a department by name. The search index would collect all of its people first.
 */

export interface Crowd {
  readonly people: number;
  /** The first people of each department and college by name. */
  readonly rows: readonly ListingRow[];
}

/**
 * Finds the people of the institution's departments and colleges that have a word with each search term as its prefix.
 * @returns null if they are fewer than `minPeople`
 */
export async function findCrowd(
  db: Db,
  audience: ListingAudience,
  { colleges }: Institution,
  terms: readonly string[],
  { minPeople, limit }: { readonly minPeople: number; readonly limit: number },
): Promise<Crowd | null> {
  if (terms.some(isShortNumber)) return null;
  const hasAllTerms = (text: string) => {
    const words = searchWords(text);
    return terms.every((term) => words.some((word) => word.startsWith(term)));
  };
  const codes = colleges.map(({ code }) => code).filter(hasAllTerms);
  const departments = colleges.flatMap((college) => college.departments).filter(hasAllTerms);
  const places = [
    ...codes.map((code) => sql`college = ${code}`),
    ...departments.map((department) => sql`department = ${department}`),
  ];
  if (places.length === 0) return null;
  const { rows: counts } = await sql<{ people: number }>`
    select coalesce(sum(people), 0)::int as people from listing_counts
    where audience = ${sql.lit(audience)} and (${sql.join(places, sql` or `)})`.execute(db);
  const people = counts[0]?.people ?? 0;
  if (people < minPeople) return null;
  const lists = places.map(
    (isInPlace) => sql`
      (select ${listingColumns} from listings where audience = ${sql.lit(audience)} and ${isInPlace}
       order by sort_name, account_id limit ${sql.lit(limit)})`,
  );
  const { rows } = await sql<ListingRow>`${sql.join(lists, sql` union all `)}`.execute(db);
  return { people, rows };
}
