import { type SqlBool, sql } from 'kysely';
import type { DirectoryFilters, Facets } from '#contract/directory.ts';
import type { Db } from '../../db/client.ts';
import type { ListingAudience } from '../../db/schema.ts';
import { searchWords } from '../../domain/folding.ts';
import { canBeMisspelled, compareSpelling, spellingKeys } from '../../domain/spelling.ts';
import { type CardRow, cardColumns } from '../../domain/visibility.ts';
import { type FacetRow, countFacets, matchesFilters } from './facets.ts';
import { type RankedRow as Compared, rank } from './ranking.ts';

/** As many are looked at as can be ranked in no time; who types a name that thousands have will type more. */
const maxCandidates = 300;
/** As many are counted when there are more than that. */
const maxCountedPeople = 3_000;
const maxWords = 8;
/** Words that one beginning stands for, the commonest first. */
const maxExpansionsPerWord = 48;
/** Words that one misspelled word may have meant. */
const maxGuessesPerWord = 16;
/** With fewer people than this, what was typed may have been meant otherwise. */
const minExactMatches = 10;

type Row = CardRow & Compared & FacetRow;

export interface SearchResult {
  /** The best ones first. */
  readonly hits: readonly (CardRow & Compared)[];
  /** What was typed, as it was looked for. */
  readonly typed: readonly string[];
  readonly count: number;
  readonly isAtLeast: boolean;
  readonly facets: Facets;
}

/**
 * People who have, for each word that was typed, one that begins with it; and where those are few, people who have one
 * that it may have been meant to be. Reads the rows of one audience and nothing else, so nobody is found, counted or matched
 * by what that audience may not see.
 */
export async function findPeople(
  db: Db,
  audience: ListingAudience,
  text: string,
  filters: DirectoryFilters,
): Promise<SearchResult> {
  const typed = searchWords(text).slice(0, maxWords);
  const condition = typed.length === 0 ? null : await buildCondition(db, typed);
  if (!condition) return { hits: [], typed, count: 0, isAtLeast: false, facets: countFacets([], filters) };

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
      hits: rank(rows, typed),
      typed,
      count: Math.max(fitting, rows.length),
      isAtLeast: total >= maxCountedPeople,
      facets: countFacets(counted, filters),
    };
  }
  let rows = rank(exact, typed);
  if (rows.length < minExactMatches) {
    const near = await condition.near();
    const known = new Set(rows.map(({ account_id: id }) => id));
    const others = near ? (await readRows(db, audience, near, {})).filter(({ account_id: id }) => !known.has(id)) : [];
    rows = rank([...rows, ...others], typed);
  }
  const hits = rows.filter((row) => matchesFilters(row, filters));
  return {
    hits,
    typed,
    count: hits.length,
    isAtLeast: false,
    facets: countFacets(
      rows.map((row) => ({ ...row, people: 1 })),
      filters,
    ),
  };
}

type Condition = ReturnType<typeof sql<SqlBool>>;

/** What the rows have to fulfil; null when nobody can. */
async function buildCondition(
  db: Db,
  typed: readonly string[],
): Promise<{ exact: Condition; near: () => Promise<Condition | null> } | null> {
  const [only = ''] = typed;
  if (typed.length === 1 && only.length < 3 && /^\p{L}+$/u.test(only)) {
    // A letter or two begin too many words: they are the beginning of a surname.
    const bySurname = sql<SqlBool>`sort_name >= ${only} and sort_name < ${`${only}\u{10FFFF}`}`;
    return { exact: bySurname, near: async () => null };
  }
  // A letter beside other words does not narrow anything down yet; ranking asks for it.
  const words = typed.some(({ length }) => length > 1)
    ? typed.filter((word) => word.length > 1 || /\d/u.test(word))
    : typed;
  const expansions = await findExpansions(db, words);
  const exact = words.map((word, at) => buildPrefixQuery(expansions[at] ?? [], word));
  return {
    exact: matchesAll(exact),
    near: async () => {
      const guesses = await findGuesses(db, words);
      if (guesses.every(({ length }) => length === 0)) return null;
      return matchesAll(exact.map((query, at) => [query, ...(guesses[at] ?? []).map(quoteWord)].join(' | ')));
    },
  };
}

/** Folding leaves nothing but letters and digits, so a word is no operator. */
const quoteWord = (word: string) => `'${word}'`;

const matchesAll = (words: readonly string[]) =>
  sql<SqlBool>`search @@ ${words.map((query) => `(${query})`).join(' & ')}::tsquery`;

/** One that begins with it: written out where there are few, else left to the index. */
function buildPrefixQuery(expansions: readonly string[], word: string): string {
  const isNumber = /\d/u.test(word);
  // A year, or the number of a class: thousands of matric numbers begin like it.
  if (isNumber) return word.length > 4 ? `${quoteWord(word)}:*` : quoteWord(word);
  // Where none is known, the vocabulary may be behind, and little begins like it anyway.
  if (expansions.length === 0 || (expansions.length >= maxExpansionsPerWord && word.length > 3))
    return `${quoteWord(word)}:*`;
  return [...new Set([word, ...expansions])].map(quoteWord).join(' | ');
}

/** For each word, the commonest ones that begin with it. */
async function findExpansions(db: Db, words: readonly string[]): Promise<string[][]> {
  const { rows } = await sql<{ at: number; word: string }>`
    select at::int, found.word
    from unnest(${words}::text[]) with ordinality as typed (beginning, at)
    cross join lateral (
      select word, people from search_words
      where word >= beginning collate "C" and word < (beginning || ${'\u{10FFFF}'}) collate "C"
      order by people desc limit ${sql.lit(maxExpansionsPerWord)}
    ) as found`.execute(db);
  return words.map((_, at) => rows.filter((row) => row.at === at + 1).map(({ word }) => word));
}

const nearnessOrder = ['same', 'one slip', 'sound', 'two slips'];
const farthestRank = nearnessOrder.length - 1;

/**
 * For each word, those that it may have been meant to be: the nearest first, and of those the commonest. Two slips are looked
 * for where nothing nearer is known: nearly always somebody meant that, and the farther ones are many.
 */
async function findGuesses(db: Db, words: readonly string[]): Promise<string[][]> {
  const keys = words.flatMap((word, at) => spellingKeys(word).map((key) => ({ key, at })));
  if (keys.length === 0) return words.map(() => []);
  const { rows } = await sql<{ at: number; word: string; people: number }>`
    select distinct typed.at, known.word, known.people
    from unnest(${keys.map(({ key }) => key)}::int[], ${keys.map(({ at }) => at)}::int[]) as typed (key, at)
    join search_spellings as spelling on spelling.key = typed.key
    join search_words as known on known.id = spelling.word_id`.execute(db);
  return words.map((typed, at) =>
    rows
      .flatMap(({ at: place, word, people }) => {
        const near = place === at && canBeMisspelled(typed) ? compareSpelling(typed, word) : null;
        return near ? [{ word, people, far: nearnessOrder.indexOf(near) }] : [];
      })
      .toSorted((a, b) => a.far - b.far || b.people - a.people)
      .filter(({ far }, _, [nearest]) => far > 0 && (far < farthestRank || nearest?.far === farthestRank))
      .slice(0, maxGuessesPerWord)
      .map(({ word }) => word),
  );
}

function readRows(db: Db, audience: ListingAudience, condition: Condition, filters: DirectoryFilters): Promise<Row[]> {
  const { college, department, program, graduatedFrom, graduatedTo } = filters;
  let query = db
    .selectFrom('listings')
    .select([...cardColumns, 'other_names', 'college', 'program'])
    // Written out, so that the index of this audience is known to fit.
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

/** How many of each combination there are, among as many people as can be counted at once. */
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
