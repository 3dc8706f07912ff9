import { sql } from 'kysely';
import type { DirectoryFilters, Facets } from '#contract/directory.ts';
import type { Institution } from '#contract/institution.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import { searchWords } from '#server/domain/search/folding.ts';
import { findFirstOfDepartments } from './departments.ts';
import { type FacetRow, countFacets, matchesFilters } from './facets.ts';
import { type ListingRow, listingColumns, filterConditions, hasFilters } from './listing-rows.ts';
import { findByNamePrefix, findBySurnames, matchNames } from './name-prefixes.ts';
import { rank } from './ranking.ts';
import { type TermQuery, addCorrections, findPrefixQueries, isShortNumber, matchAll } from './word-conditions.ts';

export const maxResults = 48;
const maxRankedPeople = 300;
/** Maximum number of people to sort. Above it, the results are the best ones of this number of people. */
const maxSortedPeople = 5_000;
const maxCountedPeople = 20_000;
/** If two terms have at least this number of people each, reading names in order is faster than the search index. */
const minCommonPeople = 12_000;
const maxNamesRead = 50_000;
const maxTerms = 8;
/** Minimum number of exact matches. If fewer are found, the search also tries corrected spellings. */
const minExactMatches = 10;

export interface SearchCounts {
  readonly count: number;
  readonly isAtLeast: boolean;
  /** Counts over all matches; null if they are too many to be counted. */
  readonly facets: Facets | null;
}

interface SearchResult extends SearchCounts {
  /** The people found, best match first: all of them, or the first ones if `facets` is null. */
  readonly hits: readonly ListingRow[];
  readonly terms: readonly string[];
}

interface Search {
  readonly db: Db;
  readonly audience: ListingAudience;
  readonly institution: Institution;
  readonly terms: readonly string[];
}

interface Matches {
  readonly rows: readonly ListingRow[];
  readonly count: number;
  readonly isAtLeast: boolean;
  readonly isComplete: boolean;
  readonly queries: readonly TermQuery[] | null;
}

const readTerms = (text: string): string[] => searchWords(text).slice(0, maxTerms);

/** One or two letters are the prefix of too many words. Alone they match only names that begin with them. */
const isTooShort = (terms: readonly string[]) => terms.every((term) => /^\p{L}{1,2}$/u.test(term));

const noFacets = { colleges: [], departments: [], programs: [], years: [] } satisfies Facets;

/**
 * Returns the people who have a word with each search term as its prefix. If these are few, adds people who match a
 * corrected spelling. Reads only the rows of one audience, so hidden values cannot be found, counted or matched.
 */
export async function findPeople(
  db: Db,
  audience: ListingAudience,
  institution: Institution,
  text: string,
  filters: DirectoryFilters,
): Promise<SearchResult> {
  const terms = readTerms(text);
  if (terms.length === 0) return { hits: [], terms, count: 0, isAtLeast: false, facets: noFacets };
  const search = { db, audience, institution, terms };
  const all = await findMatches(search);
  if (all.isComplete) return { terms, ...filterAll(all.rows, filters) };
  const { rows, count, isAtLeast } = hasFilters(filters) ? await findFiltered(search, all.queries, filters) : all;
  return { hits: rows, terms, count, isAtLeast, facets: null };
}

function filterAll(rows: readonly ListingRow[], filters: DirectoryFilters) {
  const hits = rows.filter((row) => matchesFilters(row, filters));
  const facets = countFacets(
    rows.map((row) => ({ ...row, people: 1 })),
    filters,
  );
  return { hits, count: hits.length, isAtLeast: false, facets };
}

async function findMatches(search: Search): Promise<Matches> {
  const exact = await findExactMatches(search, {});
  const { db, audience } = search;
  if (!exact.isComplete || exact.rows.length >= minExactMatches || !exact.queries) return exact;
  const corrected = await addCorrections(db, audience, exact.queries);
  return corrected ? readMatches(search, corrected, {}, exact.rows) : exact;
}

async function findExactMatches(search: Search, filters: DirectoryFilters): Promise<Matches> {
  const { db, audience, institution, terms } = search;
  const byName = await findNames(search, filters);
  if (byName.length > maxResults) {
    const rows = byName.slice(0, maxResults);
    return { rows, count: maxResults, isAtLeast: true, isComplete: false, queries: null };
  }
  if (isTooShort(terms))
    return { rows: byName, count: byName.length, isAtLeast: false, isComplete: true, queries: null };
  if (!hasFilters(filters)) {
    const limits = { maxPeople: maxSortedPeople, limit: maxResults };
    const crowd = await findFirstOfDepartments(db, audience, institution, terms, limits);
    if (crowd) {
      const rows = rank(union(byName, crowd), terms).slice(0, maxResults);
      return { rows, count: maxSortedPeople, isAtLeast: true, isComplete: false, queries: null };
    }
  }
  const queries = await findPrefixQueries(db, terms);
  const found = hasFilters(filters) ? null : await findCommonNames(search, queries);
  if (found) {
    const rows = rank(union(byName, found), terms).slice(0, maxResults);
    return { rows, count: maxResults, isAtLeast: true, isComplete: false, queries };
  }
  return readMatches(search, queries, filters, byName);
}

async function findCommonNames(
  { db, audience, terms }: Search,
  queries: readonly TermQuery[],
): Promise<ListingRow[] | null> {
  const isCommon = ({ term, people }: TermQuery) => people >= minCommonPeople && !isShortNumber(term);
  // There is one query if one term is the prefix of the other.
  if (terms.length !== 2 || queries.length !== 2 || !queries.every(isCommon)) return null;
  // The search index would read every match of the rarer term, so a failed attempt costs less than that.
  const names = Math.min(maxNamesRead, ...queries.map(({ people }) => Math.ceil(people / 2)));
  return findBySurnames(db, audience, terms, { people: maxResults + 1, names });
}

const findNames = async ({ db, audience, terms }: Search, filters: DirectoryFilters): Promise<ListingRow[]> =>
  // A short number means a year, although a name can begin with it.
  terms.some(isShortNumber) ? [] : findByNamePrefix(db, audience, terms.join(' '), filters, maxResults + 1);

const findFiltered = async (
  search: Search,
  queries: readonly TermQuery[] | null,
  filters: DirectoryFilters,
): Promise<Matches> =>
  queries ? readMatches(search, queries, filters, await findNames(search, filters)) : findExactMatches(search, filters);

async function readMatches(
  { db, audience, terms }: Search,
  queries: readonly TermQuery[],
  filters: DirectoryFilters,
  known: readonly ListingRow[],
): Promise<Matches> {
  const isSurname = terms.map((term) => sql`sort_name like ${`${term}%`}`);
  // The audience is a literal, so that the planner can use its partial index. The order is that of `rank`.
  const { rows: found } = await sql<ListingRow & { total: number }>`
    select ${listingColumns}, count(*) over ()::int as total from (
      select ${listingColumns} from listings
      where audience = ${sql.lit(audience)} and ${matchAll(queries)} ${filterConditions(filters)}
      limit ${sql.lit(maxSortedPeople + 1)}
    ) as found
    order by
      case when not (${matchNames(terms)}) then 2 when ${sql.join(isSurname, sql` or `)} then 0 else 1 end,
      sort_name, account_id
    limit ${sql.lit(maxRankedPeople)}`.execute(db);
  const total = found[0]?.total ?? 0;
  const rows = rank(union(known, found), terms);
  if (total <= maxRankedPeople) return { rows, count: rows.length, isAtLeast: false, isComplete: true, queries };
  const count = Math.min(total, maxSortedPeople);
  return { rows: rows.slice(0, maxResults), count, isAtLeast: total > count, isComplete: false, queries };
}

const union = (...lists: (readonly ListingRow[])[]): ListingRow[] => [
  ...new Map(lists.flat().map((row) => [row.account_id, row])).values(),
];

/**
 * Counts all people who match a search, and the values of their fields. If more than `maxCountedPeople` match, returns
 * this number without facets, or with filters the counts of `findPeople`.
 */
export async function countMatches(
  db: Db,
  audience: ListingAudience,
  institution: Institution,
  text: string,
  filters: DirectoryFilters,
): Promise<SearchCounts> {
  const terms = readTerms(text);
  if (terms.length === 0) return { count: 0, isAtLeast: false, facets: noFacets };
  const search = { db, audience, institution, terms };
  const all = await findMatches(search);
  if (all.isComplete) {
    const { count, isAtLeast, facets } = filterAll(all.rows, filters);
    return { count, isAtLeast, facets };
  }
  const rows = isTooShort(terms) ? null : await readFields(search, all.queries ?? (await findPrefixQueries(db, terms)));
  if (rows) {
    const matching = rows.filter((row) => matchesFilters(row, filters));
    return { count: countPeople(matching), isAtLeast: false, facets: countFacets(rows, filters) };
  }
  if (!isTooShort(terms) && !hasFilters(filters)) return { count: maxCountedPeople, isAtLeast: true, facets: null };
  const { count, isAtLeast } = hasFilters(filters) ? await findFiltered(search, all.queries, filters) : all;
  return { count, isAtLeast, facets: null };
}

type CountedRow = FacetRow & { readonly people: number };

const countPeople = (rows: readonly CountedRow[]) => rows.reduce((sum, { people }) => sum + people, 0);

async function readFields(
  { db, audience }: Search,
  queries: readonly TermQuery[],
): Promise<readonly CountedRow[] | null> {
  const { rows } = await sql<CountedRow>`
    select college, department, program, year_graduated, count(*)::int as people
    from (
      select college, department, program, year_graduated from listings
      where audience = ${sql.lit(audience)} and ${matchAll(queries)} limit ${sql.lit(maxCountedPeople + 1)}
    ) as found
    group by 1, 2, 3, 4`.execute(db);
  return countPeople(rows) > maxCountedPeople ? null : rows;
}
