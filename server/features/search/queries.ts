import { type SqlBool, sql } from 'kysely';
import type { DirectoryFilters, Facets } from '#contract/directory.ts';
import type { Db } from '../../db/client.ts';
import type { ListingAudience } from '../../db/schema.ts';
import { searchWords } from '../../domain/folding.ts';
import { canBeMisspelled, compareSpelling, spellingKeys } from '../../domain/spelling.ts';
import { type CardRow, cardColumns } from '../../domain/visibility.ts';
import { type FacetRow, countFacets, matchesFilters } from './facets.ts';
import { type RankedRow as Compared, rank } from './ranking.ts';

/** Maximum number of people to rank. Users refine a search with more matches than this. */
const maxCandidates = 300;
/** Maximum number of people to count when more than `maxCandidates` match. */
const maxCountedPeople = 3_000;
const maxWords = 8;
/** Maximum number of words that one prefix expands to, most common first. */
const maxExpansionsPerWord = 48;
/** Maximum number of corrections of one misspelled word. */
const maxCorrectionsPerWord = 16;
/** Minimum number of exact matches. If fewer are found, the search also tries corrected spellings. */
const minExactMatches = 10;

type Row = CardRow & Compared & FacetRow;

export interface SearchResult {
  /** The people found, best match first. */
  readonly hits: readonly (CardRow & Compared)[];
  /** The search terms, folded. */
  readonly terms: readonly string[];
  readonly count: number;
  readonly isAtLeast: boolean;
  readonly facets: Facets;
}

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
  const terms = searchWords(text).slice(0, maxWords);
  const condition = terms.length === 0 ? null : await buildCondition(db, terms);
  if (!condition) return { hits: [], terms, count: 0, isAtLeast: false, facets: countFacets([], filters) };

  const exact = await readRows(db, audience, condition.exact, {});
  const isCapped = exact.length >= maxCandidates;
  if (isCapped) {
    const hasFilters = Object.values(filters).some((value) => value !== undefined);
    const [rows, counted] = await Promise.all([
      hasFilters ? readRows(db, audience, condition.exact, filters) : exact,
      readFacets(db, audience, condition.exact),
    ]);
    const fitting = counted.filter((row) => matchesFilters(row, filters)).reduce((sum, { people }) => sum + people, 0);
    const total = counted.reduce((sum, { people }) => sum + people, 0);
    return {
      hits: rank(rows, terms),
      terms,
      count: Math.max(fitting, rows.length),
      isAtLeast: total >= maxCountedPeople,
      facets: countFacets(counted, filters),
    };
  }
  let rows = rank(exact, terms);
  if (rows.length < minExactMatches) {
    const near = await condition.near();
    const known = new Set(rows.map(({ account_id: id }) => id));
    const others = near ? (await readRows(db, audience, near, {})).filter(({ account_id: id }) => !known.has(id)) : [];
    rows = rank([...rows, ...others], terms);
  }
  const hits = rows.filter((row) => matchesFilters(row, filters));
  return {
    hits,
    terms,
    count: hits.length,
    isAtLeast: false,
    facets: countFacets(
      rows.map((row) => ({ ...row, people: 1 })),
      filters,
    ),
  };
}

type Condition = ReturnType<typeof sql<SqlBool>>;

/** Returns the SQL conditions for exact and for corrected search terms, or null if nothing can match. */
async function buildCondition(
  db: Db,
  terms: readonly string[],
): Promise<{ exact: Condition; near: () => Promise<Condition | null> } | null> {
  const [only = ''] = terms;
  if (terms.length === 1 && only.length < 3 && /^\p{L}+$/u.test(only)) {
    // One or two letters are the prefix of too many words, so they match surnames only.
    const bySurname = sql<SqlBool>`sort_name >= ${only} and sort_name < ${`${only}\u{10FFFF}`}`;
    return { exact: bySurname, near: async () => null };
  }
  // A single letter beside other terms selects too many words. Only the ranking uses it.
  const words = terms.some(({ length }) => length > 1)
    ? terms.filter((word) => word.length > 1 || /\d/u.test(word))
    : terms;
  const expansions = await findExpansions(db, words);
  const exact = words.map((word, at) => buildPrefixQuery(expansions[at] ?? [], word));
  return {
    exact: matchesAll(exact),
    near: async () => {
      const corrections = await findCorrections(db, words);
      if (corrections.every(({ length }) => length === 0)) return null;
      return matchesAll(exact.map((query, at) => [query, ...(corrections[at] ?? []).map(quoteWord)].join(' | ')));
    },
  };
}

/** Quotes a word for a tsquery. Folded words contain only letters and digits, so they need no escaping. */
const quoteWord = (word: string) => `'${word}'`;

const matchesAll = (words: readonly string[]) =>
  sql<SqlBool>`search @@ ${words.map((query) => `(${query})`).join(' & ')}::tsquery`;

/** Returns a tsquery for words with a prefix: a list of the words if they are few, otherwise a prefix match. */
function buildPrefixQuery(expansions: readonly string[], word: string): string {
  const isNumber = /\d/u.test(word);
  // A short number is a year or the number of a class, with which thousands of matric numbers begin.
  if (isNumber) return word.length > 4 ? `${quoteWord(word)}:*` : quoteWord(word);
  // If no word is known, the vocabulary may be outdated, and a prefix match finds few rows.
  if (expansions.length === 0 || (expansions.length >= maxExpansionsPerWord && word.length > 3))
    return `${quoteWord(word)}:*`;
  return [...new Set([word, ...expansions])].map(quoteWord).join(' | ');
}

/** Returns the most common words with each prefix. */
async function findExpansions(db: Db, words: readonly string[]): Promise<string[][]> {
  const { rows } = await sql<{ at: number; word: string }>`
    select at::int, found.word
    from unnest(${words}::text[]) with ordinality as terms (beginning, at)
    cross join lateral (
      select word, people from search_words
      where word >= beginning collate "C" and word < (beginning || ${'\u{10FFFF}'}) collate "C"
      order by people desc limit ${sql.lit(maxExpansionsPerWord)}
    ) as found`.execute(db);
  return words.map((_, at) => rows.filter((row) => row.at === at + 1).map(({ word }) => word));
}

const matchOrder = ['same', 'one edit', 'sound', 'two edits'];
const farthestRank = matchOrder.length - 1;

/**
 * Returns the probable corrections of each word, nearest first, then most common first. Words with two edits count only
 * if no nearer word exists, because the nearest word is nearly always the correct one.
 */
async function findCorrections(db: Db, words: readonly string[]): Promise<string[][]> {
  const keys = words.flatMap((word, at) => spellingKeys(word).map((key) => ({ key, at })));
  if (keys.length === 0) return words.map(() => []);
  const { rows } = await sql<{ at: number; word: string; people: number }>`
    select distinct term.at, known.word, known.people
    from unnest(${keys.map(({ key }) => key)}::int[], ${keys.map(({ at }) => at)}::int[]) as term (key, at)
    join search_spellings as spelling on spelling.key = term.key
    join search_words as known on known.id = spelling.word_id`.execute(db);
  return words.map((term, at) =>
    rows
      .flatMap(({ at: place, word, people }) => {
        const near = place === at && canBeMisspelled(term) ? compareSpelling(term, word) : null;
        return near ? [{ word, people, far: matchOrder.indexOf(near) }] : [];
      })
      .toSorted((a, b) => a.far - b.far || b.people - a.people)
      .filter(({ far }, _, [nearest]) => far > 0 && (far < farthestRank || nearest?.far === farthestRank))
      .slice(0, maxCorrectionsPerWord)
      .map(({ word }) => word),
  );
}

function readRows(db: Db, audience: ListingAudience, condition: Condition, filters: DirectoryFilters): Promise<Row[]> {
  const { college, department, program, graduatedFrom, graduatedTo } = filters;
  let query = db
    .selectFrom('listings')
    .select([...cardColumns, 'other_names', 'college', 'program'])
    // A literal, so that the planner can use the partial index of this audience.
    .where('audience', '=', sql.lit(audience))
    .where(condition)
    .limit(sql.lit(maxCandidates));
  if (college !== undefined) query = query.where('college', '=', college);
  if (department !== undefined) query = query.where('department', '=', department);
  if (program !== undefined) query = query.where('program', '=', program);
  if (graduatedFrom !== undefined) query = query.where('year_graduated', '>=', graduatedFrom);
  if (graduatedTo !== undefined) query = query.where('year_graduated', '<=', graduatedTo);
  return query.execute();
}

/** Returns the number of people per combination of fields, among at most `maxCountedPeople` people. */
async function readFacets(
  db: Db,
  audience: ListingAudience,
  condition: Condition,
): Promise<(FacetRow & { people: number })[]> {
  const { rows } = await sql<FacetRow & { people: number }>`
    select college, department, program, year_graduated, count(*)::int as people
    from (
      select college, department, program, year_graduated from listings
      where audience = ${sql.lit(audience)} and ${condition} limit ${sql.lit(maxCountedPeople)}
    ) as found
    group by 1, 2, 3, 4`.execute(db);
  return rows;
}
