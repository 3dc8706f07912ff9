import { type RawBuilder, sql } from 'kysely';
import * as z from 'zod/mini';
import { type Db, inTransaction } from '../db/client.ts';
import { defineJob, wholeArchiveTimeoutSeconds } from '../platform/jobs/define-job.ts';
import { spellingKeys } from './spelling.ts';

/*
 * The search vocabulary: all words in the listings (migration 006). The vocabulary is used only to correct misspelled
 * queries. Results always come from the listings of the viewer's audience.
 */

/** Returns whether a word has only letters. Numbers are never corrected. */
const isWord = (word: string) => /^\p{L}+$/u.test(word);

/** Adds new words to the vocabulary, in the transaction that writes their listing. */
export async function addWords(tx: Db, words: readonly string[]): Promise<void> {
  // Sorted, so that parallel transactions insert in the same order and cannot deadlock.
  const wanted = [...new Set(words.filter(isWord))].toSorted();
  if (wanted.length === 0) return;
  const { rows } = await sql<{ id: number; word: string }>`
    insert into search_words (word)
    select word from unnest(${wanted}::text[]) as wanted (word)
    where not exists (select from search_words as known where known.word = wanted.word)
    on conflict do nothing returning id, word`.execute(tx);
  await addSpellings(tx, rows);
}

async function addSpellings(tx: Db, words: readonly { id: number; word: string }[]): Promise<void> {
  const pairs = words.flatMap(({ id, word }) => spellingKeys(word).map((key) => ({ key, id })));
  if (pairs.length === 0) return;
  await sql`
    insert into search_spellings (key, word_id)
    select * from unnest(${pairs.map(({ key }) => key)}::int[], ${pairs.map(({ id }) => id)}::int[])
    on conflict do nothing`.execute(tx);
}

/** A word that occurs in at least this number of listings stays without a check: another person still has it. */
const maxCheckedPeople = 100;

/** Deletes the words that no longer occur in any listing, so that a name disappears with its last owner. */
export async function deleteUnusedWords(tx: Db, words: readonly string[]): Promise<void> {
  const gone = words.filter(isWord);
  if (gone.length === 0) return;
  await deleteUnusedWordsWhere(tx, sql`word = any(${gone}::text[])`);
}

const deleteUnusedWordsWhere = (db: Db, which: RawBuilder<unknown>) =>
  sql`
    delete from search_words as known
    where ${which} and people < ${sql.lit(maxCheckedPeople)}
      and not exists (select from listings where audience = 'members' and search @@ quote_literal(known.word)::tsquery)
    `.execute(db);

/** Returns the words of a person's listing for members. */
export async function findWords(tx: Db, accountId: string): Promise<string[]> {
  const row = await tx
    .selectFrom('listings')
    .select(sql<string[]>`tsvector_to_array(search)`.as('words'))
    .where('account_id', '=', accountId)
    .where('audience', '=', 'members')
    .executeTakeFirst();
  return row?.words ?? [];
}

/** Recounts the vocabulary. Runs at night. */
export const recountWordsJob = defineJob('search:count-words', z.unknown(), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

/** Number of words per insert. */
const batchSize = 2_000;

/**
 * Recounts how many people have each word. Also adds missing words and deletes unused ones, which parallel changes can leave behind. Reads
 * all listings of the members audience.
 */
export async function recountWords(db: Db): Promise<void> {
  const { rows } = await withoutStatementTimeout(db, (tx) =>
    sql<{ word: string; people: number }>`
      with counted as materialized (
        select word, ndoc as people from ts_stat('select search from listings where audience = ''members''')
        -- Numbers are never corrected, and there are as many as people.
        where word !~ '[0-9]'
      ),
      updated as (
        update search_words as known set people = counted.people from counted
        where known.word = counted.word and known.people <> counted.people
      )
      select word, people from counted
      where not exists (select from search_words as known where known.word = counted.word)`.execute(tx),
  );
  const missing = rows.filter(({ word }) => isWord(word));
  for (let from = 0; from < missing.length; from += batchSize) {
    const some = missing.slice(from, from + batchSize);
    const { rows: learnt } = await sql<{ id: number; word: string }>`
      insert into search_words (word, people)
      select * from unnest(${some.map(({ word }) => word)}::text[], ${some.map(({ people }) => people)}::int[])
      on conflict do nothing returning id, word`.execute(db);
    await addSpellings(db, learnt);
  }
  await withoutStatementTimeout(db, (tx) => deleteUnusedWordsWhere(tx, sql`true`));
}

/** Runs work in a transaction without the statement timeout of requests, because it reads the whole table. */
const withoutStatementTimeout = <Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> =>
  inTransaction(db, async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    return work(tx);
  });
