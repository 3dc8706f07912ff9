import { type RawBuilder, sql } from 'kysely';
import * as z from 'zod/mini';
import type { Db } from '#server/db/client.ts';
import { defineJob, wholeArchiveTimeoutSeconds } from '#server/platform/jobs/define-job.ts';
import { spellingKeys } from './spelling.ts';

/*
 * The search vocabulary: all words in the listings (table `search_words`). The vocabulary is used only to correct
 * misspelled queries. Results always come from the listings of the viewer's audience.
 */

const isWord = (word: string) => /^\p{L}+$/u.test(word);

interface WordChanges {
  readonly wanted: readonly string[];
  readonly gone: readonly string[];
}

interface HasWords {
  readonly words: readonly string[];
}

export function diffWords(now: readonly HasWords[], until: readonly HasWords[]): WordChanges {
  const words = new Set(now.flatMap((listing) => listing.words.filter(isWord)));
  const oldWords = new Set(until.flatMap((listing) => listing.words.filter(isWord)));
  return {
    wanted: [...words].filter((word) => !oldWords.has(word)),
    gone: [...oldWords].filter((word) => !words.has(word)),
  };
}

/**
 * Returns the writes that add new words of a person to the vocabulary and delete old words that no one else has, for the
 * `with` clause of the statement that writes the listings.
 */
export function prepareWords(accountId: string, { wanted: added, gone }: WordChanges): RawBuilder<unknown>[] {
  // Sorted, so that parallel transactions insert in the same order and cannot deadlock.
  const wanted = added.toSorted();
  const spellings = wanted.flatMap((word) => spellingKeys(word).map((key) => ({ word, key })));
  const writes = [];
  if (wanted.length > 0)
    writes.push(
      sql`added as (
        insert into search_words (word)
        select word from unnest(${wanted}::text[]) as wanted (word)
        where not exists (select from search_words as known where known.word = wanted.word)
        on conflict do nothing returning id, word
      )`,
      sql`spelled as (
        insert into search_spellings (key, word_id)
        select key, id from added join unnest(
          ${spellings.map(({ word }) => word)}::text[], ${spellings.map(({ key }) => key)}::int[]
        ) as spelling (word, key) using (word)
      )`,
    );
  // The statement does not see its own listings, so it leaves out those that it replaces.
  if (gone.length > 0) writes.push(sql`forgotten as (${deleteUnusedSql(gone, sql`account_id <> ${accountId}`)})`);
  return writes;
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

const deleteUnusedSql = (words: readonly string[], isCounted = sql`true`) => sql`
  delete from search_words as known
  where word = any(${words}::text[]) and people < ${sql.lit(maxCheckedPeople)} and not exists (
    select from listings where audience = 'members' and ${isCounted} and search @@ quote_literal(known.word)::tsquery)`;

/** Deletes the words that no longer occur in any listing, so that a name disappears with its last owner. */
export async function deleteUnusedWords(tx: Db, words: readonly string[]): Promise<void> {
  const gone = words.filter(isWord);
  if (gone.length === 0) return;
  await deleteUnusedSql(gone).execute(tx);
}

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

/** Number of listings per statement, so that no statement takes longer than a request may. */
const listingsPerBatch = 20_000;

const wordsPerBatch = 2_000;

/**
 * Recounts how many people have each word. Also adds missing words and deletes unused ones, which parallel changes can
 * leave behind. Reads all listings of the members audience, in batches.
 */
export async function recountWords(db: Db): Promise<void> {
  const counts = await countWords(db);
  const { rows: known } = await sql<{ word: string; people: number }>`
    select word, people from search_words`.execute(db);
  const changed = known.flatMap(({ word, people }) => {
    const count = counts.get(word) ?? 0;
    return count === people ? [] : [{ word, people: count }];
  });
  for (const some of inBatches(changed)) {
    await sql`
      update search_words as known set people = counted.people
      from unnest(${some.map(({ word }) => word)}::text[], ${some.map(({ people }) => people)}::int[]) as counted (word, people)
      where known.word = counted.word`.execute(db);
  }
  const unused = known.filter(({ word }) => !counts.has(word)).map(({ word }) => word);
  for (const { word } of known) counts.delete(word);
  for (const some of inBatches([...counts])) {
    const { rows } = await sql<{ id: number; word: string }>`
      insert into search_words (word, people)
      select * from unnest(${some.map(([word]) => word)}::text[], ${some.map(([, people]) => people)}::int[])
      on conflict do nothing returning id, word`.execute(db);
    await addSpellings(db, rows);
  }
  for (const some of inBatches(unused)) await deleteUnusedWords(db, some);
}

async function countWords(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows: batch } = await sql<{ last: string | null }>`
      select max(account_id::text) as last from (
        select account_id from listings where audience = 'members' and account_id > ${after}
        order by account_id limit ${sql.lit(listingsPerBatch)}
      ) as batch`.execute(db);
    const last = batch[0]?.last ?? null;
    if (last === null) return counts;
    const { rows } = await sql<{ word: string; people: number }>`
      select word, ndoc as people from ts_stat(format(
        'select search from listings where audience = ''members'' and account_id > %L and account_id <= %L',
        ${after}::uuid, ${last}::uuid))
      -- Numbers are never corrected, and there are as many as people.
      where word !~ '[0-9]'`.execute(db);
    for (const { word, people } of rows) if (isWord(word)) counts.set(word, (counts.get(word) ?? 0) + people);
    after = last;
  }
}

function* inBatches<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += wordsPerBatch) yield items.slice(from, from + wordsPerBatch);
}
