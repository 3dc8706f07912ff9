import { sql } from 'kysely';
import type { DirectoryFilters, Facets } from '#contract/directory.ts';
import type { Db } from '../../db/client.ts';
import type { ListingAudience } from '../../db/schema.ts';
import { searchWords } from '../../domain/folding.ts';
import { type FacetRow, countFacets, matchesFilters } from './facets.ts';
import { type ListingRow, listingColumns, filterConditions } from './listing-rows.ts';
import { findByNamePrefix } from './name-prefixes.ts';
import { rank } from './ranking.ts';
import {
  type Condition,
  type TermQuery,
  addCorrections,
  findPrefixQueries,
  matchAll,
  matchWholeWords,
} from './word-conditions.ts';

/** Maximum number of results in a response. */
export const maxResults = 48;
/** Maximum number of people to rank and to count by field. Users refine a search with more matches than this. */
const maxRankedPeople = 300;
/** Maximum number of people whose fields are counted in a separate request. */
const maxCountedPeople = 20_000;
const maxTerms = 8;
/** Minimum number of exact matches. If fewer are found, the search also tries corrected spellings. */
const minExactMatches = 10;

export interface SearchResult {
  /** The people found, best match first. If `isAtLeast`, only the first ones. */
  readonly hits: readonly ListingRow[];
  /** The search terms, folded. */
  readonly terms: readonly string[];
  readonly count: number;
  /** Whether more than `count` people match. */
  readonly isAtLeast: boolean;
  /** Counts over all matches; null if they are too many to be counted with the search. */
  readonly facets: Facets | null;
}

/** People who match all terms, best match first. */
interface Matches {
  readonly rows: readonly ListingRow[];
  readonly count: number;
  /** Whether `rows` are all people who match. */
  readonly isComplete: boolean;
}

const readTerms = (text: string): string[] => searchWords(text).slice(0, maxTerms);

/** One or two letters, or initials, are the prefix of too many words. So they match only names that begin with them. */
const isTooShort = (terms: readonly string[]) =>
  terms.every((term) => /^\p{L}{1,2}$/u.test(term) && (terms.length === 1 || term.length === 1));

/**
 * Returns the people who have a word with each search term as its prefix. If these are few, adds people who match a
 * corrected spelling. Reads only the rows of one audience, so hidden values cannot be found, counted or matched.
 */
export async function findPeople(
  db: Db,
  audience: ListingAudience,
  text: string,
  filters: DirectoryFilters,
): Promise<SearchResult> {
  const terms = readTerms(text);
  if (terms.length === 0) return { hits: [], terms, count: 0, isAtLeast: false, facets: countFacets([], filters) };
  let all = await findExactMatches(db, audience, terms, {});
  if (all.isComplete && all.rows.length < minExactMatches && !isTooShort(terms)) {
    const queries = await addCorrections(db, await findPrefixQueries(db, terms));
    if (queries) all = await readMatches(db, audience, terms, queries, {}, all.rows);
  }
  if (!all.isComplete) {
    const hasFilters = Object.values(filters).some((value) => value !== undefined);
    const { rows, count, isComplete } = hasFilters ? await findExactMatches(db, audience, terms, filters) : all;
    return { hits: rows, terms, count, isAtLeast: !isComplete, facets: null };
  }
  const hits = all.rows.filter((row) => matchesFilters(row, filters));
  return { hits, terms, count: hits.length, isAtLeast: false, facets: countFacets(all.rows.map(toCounted), filters) };
}

const toCounted = (row: FacetRow) => ({ ...row, people: 1 });

async function findExactMatches(
  db: Db,
  audience: ListingAudience,
  terms: readonly string[],
  filters: DirectoryFilters,
): Promise<Matches> {
  const byName = await findByNamePrefix(db, audience, terms.join(' '), filters, maxResults + 1);
  if (byName.length > maxResults) return { rows: byName.slice(0, maxResults), count: maxResults, isComplete: false };
  if (isTooShort(terms)) return { rows: byName, count: byName.length, isComplete: true };
  return readMatches(db, audience, terms, await findPrefixQueries(db, terms), filters, byName);
}

/** Returns the people who match all queries, together with some who are already known. */
async function readMatches(
  db: Db,
  audience: ListingAudience,
  terms: readonly string[],
  queries: readonly TermQuery[],
  filters: DirectoryFilters,
  known: readonly ListingRow[],
): Promise<Matches> {
  const rows = await readRows(db, audience, matchAll(queries), filters, maxRankedPeople + 1);
  if (rows.length <= maxRankedPeople) {
    const ranked = rank(union(known, rows), terms);
    return { rows: ranked, count: ranked.length, isComplete: true };
  }
  // The rows are in no order. The first ones by name are read separately: those with whole words, then the others.
  const whole = await readRows(db, audience, matchWholeWords(queries), filters, maxResults, 'by name');
  const first = await readRows(db, audience, matchAll(queries), filters, maxResults, 'by name');
  const ranked = union(rank(union(known, whole), terms), rank(first, terms));
  return { rows: ranked.slice(0, maxResults), count: maxRankedPeople, isComplete: false };
}

/** Joins lists without repeating a person. */
const union = (...lists: (readonly ListingRow[])[]): ListingRow[] => [
  ...new Map(lists.flat().map((row) => [row.account_id, row])).values(),
];

async function readRows(
  db: Db,
  audience: ListingAudience,
  condition: Condition,
  filters: DirectoryFilters,
  limit: number,
  order?: 'by name',
): Promise<ListingRow[]> {
  // The audience is a literal, so that the planner can use its partial index.
  const { rows } = await sql<ListingRow>`
    select ${listingColumns} from listings
    where audience = ${sql.lit(audience)} and ${condition} ${filterConditions(filters)}
    ${order ? sql`order by sort_name, account_id` : sql``} limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/**
 * Counts all people who match a search exactly, and the values of their fields.
 * @returns counts of at least `maxCountedPeople` without facets if more people match
 */
export async function countMatches(
  db: Db,
  audience: ListingAudience,
  text: string,
  filters: DirectoryFilters,
): Promise<Pick<SearchResult, 'count' | 'isAtLeast' | 'facets'>> {
  const terms = readTerms(text);
  if (terms.length === 0) return { count: 0, isAtLeast: false, facets: null };
  if (isTooShort(terms)) {
    const { count, isComplete } = await findExactMatches(db, audience, terms, filters);
    return { count, isAtLeast: !isComplete, facets: null };
  }
  const condition = matchAll(await findPrefixQueries(db, terms));
  const { rows } = await sql<FacetRow & { people: number }>`
    select college, department, program, year_graduated, count(*)::int as people
    from (
      select college, department, program, year_graduated from listings
      where audience = ${sql.lit(audience)} and ${condition} limit ${sql.lit(maxCountedPeople + 1)}
    ) as found
    group by 1, 2, 3, 4`.execute(db);
  const sum = (some: typeof rows) => some.reduce((total, { people }) => total + people, 0);
  if (sum(rows) > maxCountedPeople) return { count: maxCountedPeople, isAtLeast: true, facets: null };
  return {
    count: sum(rows.filter((row) => matchesFilters(row, filters))),
    isAtLeast: false,
    facets: countFacets(rows, filters),
  };
}
