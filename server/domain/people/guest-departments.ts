import { sql } from 'kysely';
import type { Facets } from '#contract/directory.ts';
import type { Institution } from '#contract/institution.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';

const minPeople = 3;

/**
 * Returns the filter values for an audience. Guests get only departments that are configured or have at least three
 * people: otherwise one person could advertise any text there. Lists and counts are not affected.
 */
export async function withGuestDepartments(
  db: Db,
  audience: ListingAudience,
  { colleges }: Institution,
  facets: Facets,
): Promise<Facets> {
  if (audience !== 'everyone') return facets;
  const shown = new Set(colleges.flatMap(({ departments }) => departments));
  const typed = facets.departments.map(({ value }) => value).filter((value) => !shown.has(value));
  if (typed.length === 0) return facets;
  const common = await db
    .selectFrom('listing_counts')
    .select('department')
    .where('audience', '=', audience)
    .where('department', '=', sql<string>`any(${typed}::text[])`)
    .groupBy('department')
    .having(({ fn }) => fn.sum('people'), '>=', minPeople)
    .execute();
  for (const { department } of common) shown.add(department);
  return { ...facets, departments: facets.departments.filter(({ value }) => shown.has(value)) };
}
