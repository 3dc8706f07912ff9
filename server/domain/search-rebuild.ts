import { sql } from 'kysely';
import * as z from 'zod/mini';
import { type Db, inTransaction } from '../db/client.ts';
import { defineJob, wholeArchive } from '../platform/jobs.ts';
import { relistNext } from './people.ts';
import { countWords } from './vocabulary.ts';

/*
 * Listings, their search vectors and the vocabulary are derived from the profiles. A migration that changes how they are derived
 * empties the vocabulary; the next start then queues a rebuild.
 */

export const rebuildSearchJob = defineJob('search:rebuild', z.unknown(), { seconds: wholeArchive });

/**
 * Rebuilds the listings of everyone and the vocabulary from the profiles. Works in batches with a transaction each while people
 * go on saving, or in the one transaction that it is given.
 */
export async function rebuildSearch(db: Db): Promise<void> {
  let last: string | null = null;
  do {
    const after: string | null = last;
    last = await inTransaction(db, (tx) => relistNext(tx, after));
  } while (last !== null);
  await countWords(db);
}

/** Queues a rebuild if there are listings and no vocabulary: after a migration that asks for it, or an import. */
export async function rebuildSearchOnce(db: Db): Promise<void> {
  const { rows } = await sql`
    select where exists (select from listings) and not exists (select from search_words)`.execute(db);
  if (rows.length > 0) await rebuildSearchJob.queue(db, {}, { key: 'once', seconds: 0 });
}
