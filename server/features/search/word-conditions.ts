import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/client.ts';
import { canBeMisspelled, compareSpelling, spellingKeys } from '../../domain/spelling.ts';

/*
 * SQL conditions for listings that have a word with each search term as its prefix.
 */

/** Maximum number of corrections of one misspelled word. */
const maxCorrectionsPerWord = 16;
/**
 * A term that matches more than this multiple of the people of the rarest term is checked for each row that the rarest one finds. Reading
 * all its entries in the search index would take longer.
 */
const maxPeopleRatio = 4;
/** Assumed number of people for a number, because the vocabulary contains only words of letters. */
const assumedPeopleOfNumber = 5_000;
/** Maximum number of vocabulary words that are added up to estimate how many people a prefix matches. */
const maxEstimatedWords = 1_000;

export type Condition = RawBuilder<SqlBool>;

/** A search term as a tsquery, with the approximate number of people whom it matches. */
export interface TermQuery {
  readonly term: string;
  readonly query: string;
  readonly people: number;
}

/** Quotes a word for a tsquery. Folded words contain only letters and digits, so they need no escaping. */
const quoteWord = (word: string) => `'${word}'`;

const isNumber = (word: string) => /\d/u.test(word);

/** Returns a tsquery for words with a prefix. A short number is a year or a class, with which thousands of matric numbers begin. */
const toPrefixQuery = (word: string): string =>
  isNumber(word) && word.length <= 4 ? quoteWord(word) : `${quoteWord(word)}:*`;

/** Returns the tsqueries for people who have a word with each term as its prefix. */
export async function findPrefixQueries(db: Db, terms: readonly string[]): Promise<TermQuery[]> {
  const words = [...new Set(terms)];
  const people = words.length > 1 ? await estimatePeople(db, words) : new Map<string, number>();
  return words.map((term) => ({
    term,
    query: toPrefixQuery(term),
    people: isNumber(term) ? assumedPeopleOfNumber : (people.get(term) ?? 0),
  }));
}

/** Adds the corrections of misspelled terms to their queries. @returns null if no term has a correction */
export async function addCorrections(db: Db, queries: readonly TermQuery[]): Promise<TermQuery[] | null> {
  const corrections = await findCorrections(
    db,
    queries.map(({ term }) => term),
  );
  if (corrections.every(({ length }) => length === 0)) return null;
  return queries.map(({ term, query, people }, at) => {
    const corrected = corrections[at] ?? [];
    return {
      term,
      query: [query, ...corrected.map(({ word }) => quoteWord(word))].join(' | '),
      people: corrected.reduce((sum, other) => sum + other.people, people),
    };
  });
}

/** Returns the condition for people who match all queries. The search index evaluates the most selective ones. */
export function matchAll(queries: readonly TermQuery[]): Condition {
  const fewest = Math.min(...queries.map(({ people }) => people));
  const isIndexed = ({ people }: TermQuery) => people <= fewest * maxPeopleRatio;
  const condition = (some: readonly TermQuery[]) =>
    sql<SqlBool>`search @@ ${some.map(({ query }) => `(${query})`).join(' & ')}::tsquery`;
  const indexed = queries.filter(isIndexed);
  if (indexed.length === queries.length) return condition(indexed);
  // The index does not support the operator `is true`.
  return sql<SqlBool>`${condition(indexed)} and (${condition(queries.filter((query) => !isIndexed(query)))}) is true`;
}

/** Returns the condition for people who have each term as a whole word. */
export const matchWholeWords = (queries: readonly TermQuery[]): Condition =>
  sql<SqlBool>`search @@ ${queries.map(({ term }) => quoteWord(term)).join(' & ')}::tsquery`;

/** Estimates how many people have a word with each prefix. */
async function estimatePeople(db: Db, words: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ word: string; people: number }>`
    select prefix as word, coalesce(sum(people), 0)::int as people
    from unnest(${words.filter((word) => !isNumber(word))}::text[]) as prefixes (prefix)
    left join lateral (
      select people from search_words
      where word >= prefix collate "C" and word < (prefix || ${'\u{10FFFF}'}) collate "C"
      limit ${sql.lit(maxEstimatedWords)}
    ) as words on true
    group by prefix`.execute(db);
  return new Map(rows.map(({ word, people }) => [word, people]));
}

const matchOrder = ['same', 'one edit', 'sound', 'two edits'];
const farthestRank = matchOrder.length - 1;

/**
 * Returns the probable corrections of each word, nearest first, then most common first. Words with two edits count only
 * if no nearer word exists, because the nearest word is nearly always the correct one.
 */
async function findCorrections(db: Db, words: readonly string[]): Promise<{ word: string; people: number }[][]> {
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
      .slice(0, maxCorrectionsPerWord),
  );
}
