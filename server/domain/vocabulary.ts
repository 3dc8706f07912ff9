import { type RawBuilder, sql } from 'kysely';
import * as z from 'zod/mini';
import { type Db, inTransaction } from '../db/client.ts';
import { defineJob, wholeArchiveTimeoutSeconds } from '../platform/jobs/define-job.ts';
import { spellingKeys } from './spelling.ts';

/*
 * The words by which people are found (migration 006). It is there to guess what somebody meant; who is found, the listings
 * of an audience say.
 */

/** Numbers are not guessed. */
const isWord = (word: string) => /^\p{L}+$/u.test(word);

/** Takes up words that are new, in the transaction that lists somebody under them. */
export async function addWords(tx: Db, words: readonly string[]): Promise<void> {
  // In one order, so that two such transactions cannot wait for each other in a circle.
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

/** Words that more people have than this are somebody else's too, without looking. */
const maxCheckedPeople = 100;

/** Forgets those of the words that nobody is listed under any more: a name goes with whoever had it. */
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

/** The words under which somebody is listed. */
export async function findWords(tx: Db, accountId: string): Promise<string[]> {
  const row = await tx
    .selectFrom('listings')
    .select(sql<string[]>`tsvector_to_array(search)`.as('words'))
    .where('account_id', '=', accountId)
    .where('audience', '=', 'members')
    .executeTakeFirst();
  return row?.words ?? [];
}

export const recountWordsJob = defineJob('search:count-words', z.unknown(), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

/** Words taken up in one go. */
const batchSize = 2_000;

/**
 * Counts anew how many people have each word, and puts right what two changes at the same moment have left: words that are
 * missing, and words that nobody has. Reads all listings of members.
 */
export async function recountWords(db: Db): Promise<void> {
  const { rows } = await withoutStatementTimeout(db, (tx) =>
    sql<{ word: string; people: number }>`
      with counted as materialized (
        select word, ndoc as people from ts_stat('select search from listings where audience = ''members''')
        -- Numbers are nobody's to guess, and there are as many as people.
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

/** Reading everything takes as long as it takes, whatever limit requests have. */
const withoutStatementTimeout = <Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> =>
  inTransaction(db, async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    return work(tx);
  });
