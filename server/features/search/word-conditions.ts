import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import { afterPrefix } from '#server/domain/search/folding.ts';
import { canBeMisspelled, compareSpelling, spellingKeys } from '#server/domain/search/spelling.ts';

/*
 * SQL conditions for listings that have a word with each search term as its prefix.
 */

const maxCorrectionsPerWord = 16;
/**
 * A term that matches more than this multiple of the people of the rarest term is checked for each row that the rarest
 * one finds. Reading all its entries in the search index would take longer.
 */
const maxPeopleRatio = 4;
/** Assumed number of people for a number, because the vocabulary contains only words of letters. */
const assumedPeopleOfNumber = 5_000;
const maxEstimatedWords = 1_000;

export type Condition = RawBuilder<SqlBool>;

export interface TermQuery {
  readonly term: string;
  readonly query: string;
  readonly people: number;
}

/** Folded words contain only letters and digits, so they need no escaping. */
const quoteWord = (word: string) => `'${word}'`;

/** Thousands of matric numbers begin with a year or another short number, so it matches whole words only. */
export const isShortNumber = (term: string) => /^\d{1,4}$/u.test(term);

/** Whether the last term is a short number that can begin a part of a matric number, as in `csc/15/00`. */
const isUnfinishedNumber = (term: string, terms: readonly string[]) =>
  term.length < 4 && terms.length > 1 && terms.at(-1) === term;

export async function findPrefixQueries(db: Db, terms: readonly string[]): Promise<TermQuery[]> {
  // The beginning of another term matches everything that this term matches.
  const words = [...new Set(terms)].filter(
    (term) => isShortNumber(term) || !terms.some((other) => other !== term && other.startsWith(term)),
  );
  const people = words.length > 1 ? await estimatePeople(db, words) : new Map<string, number>();
  return words.map((term) => {
    const isWhole = isShortNumber(term) && !isUnfinishedNumber(term, terms);
    const usual = people.get(term) ?? (/\d/u.test(term) ? assumedPeopleOfNumber : 0);
    return {
      term,
      query: isWhole ? quoteWord(term) : `${quoteWord(term)}:*`,
      people: isShortNumber(term) && !isWhole ? Infinity : usual,
    };
  });
}

export async function addCorrections(
  db: Db,
  audience: ListingAudience,
  queries: readonly TermQuery[],
): Promise<TermQuery[] | null> {
  const corrections = await findCorrections(
    db,
    audience,
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

/** Estimates how many people have a word with each prefix. A prefix of very many words counts as infinite. */
async function estimatePeople(db: Db, words: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ word: string; people: number; words: number }>`
    select prefix as word, coalesce(sum(people), 0)::int as people, count(people)::int as words
    from unnest(${words.filter((word) => /^\p{L}+$/u.test(word))}::text[]) as prefixes (prefix)
    left join lateral (
      select people from search_words
      where word >= prefix collate "C" and word < (prefix || ${afterPrefix}) collate "C"
      limit ${sql.lit(maxEstimatedWords)}
    ) as words on true
    group by prefix`.execute(db);
  return new Map(rows.map((row) => [row.word, row.words < maxEstimatedWords ? row.people : Infinity]));
}

const matchOrder = ['same', 'one edit', 'sound', 'two edits'];
const farthestRank = matchOrder.length - 1;

/**
 * Returns the probable corrections of each word, nearest first, then most common first. Words with two edits count only
 * if no nearer word exists, because the nearest word is nearly always the correct one.
 */
async function findCorrections(
  db: Db,
  audience: ListingAudience,
  words: readonly string[],
): Promise<{ word: string; people: number }[][]> {
  const keys = words.flatMap((word, at) => spellingKeys(word).map((key) => ({ key, at })));
  if (keys.length === 0) return words.map(() => []);
  const { rows } = await sql<{ at: number; word: string; people: number }>`
    select distinct term.at, known.word, known.people
    from unnest(${keys.map(({ key }) => key)}::int[], ${keys.map(({ at }) => at)}::int[]) as term (key, at)
    join search_spellings as spelling on spelling.key = term.key
    join search_words as known on known.id = spelling.word_id`.execute(db);
  const near = rows.flatMap(({ at, word, people }) => {
    const match = canBeMisspelled(words[at] ?? '') ? compareSpelling(words[at] ?? '', word) : null;
    return match ? [{ at, word, people, far: matchOrder.indexOf(match) }] : [];
  });
  const known = await selectKnown(
    db,
    audience,
    near.map(({ word }) => word),
  );
  return words.map((_, at) =>
    near
      .filter((one) => one.at === at && known.has(one.word))
      .toSorted((a, b) => a.far - b.far || b.people - a.people)
      .filter(({ far }, _, [nearest]) => far > 0 && (far < farthestRank || nearest?.far === farthestRank))
      .slice(0, maxCorrectionsPerWord),
  );
}

/** Returns the words that an audience can find people by. The vocabulary has the words of members' listings. */
async function selectKnown(db: Db, audience: ListingAudience, words: readonly string[]): Promise<ReadonlySet<string>> {
  if (audience === 'members' || words.length === 0) return new Set(words);
  const { rows } = await sql<{ word: string }>`
    select word from unnest(${words}::text[]) as words (word)
    where exists (
      select from listings where audience = ${sql.lit(audience)} and search @@ quote_literal(word)::tsquery
    )`.execute(db);
  return new Set(rows.map(({ word }) => word));
}
