import * as z from 'zod/mini';
import { type Db, inTransaction } from '#server/db/client.ts';
import { defineJob, wholeArchiveTimeoutSeconds } from '#server/platform/jobs/define-job.ts';
import { rebuildNextListings } from '../people/people.ts';
import { recountWords } from './vocabulary.ts';

/*
 * Listings, their search vectors and the vocabulary are derived from the profiles. A migration that changes this
 * derivation inserts the row of `pending_search_rebuild`. Each start queues a rebuild while the row exists; a finished
 * rebuild deletes the row.
 */

export const rebuildSearchJob = defineJob('search:rebuild', z.unknown(), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

/**
 * Rebuilds all listings and the vocabulary from the profiles, in batches. Each batch has its own transaction, so that
 * saves can continue.
 * @param db a transaction to use for everything, or a connection pool
 */
export async function rebuildSearch(db: Db): Promise<void> {
  let last: string | null = null;
  do {
    const after: string | null = last;
    last = await inTransaction(db, (tx) => rebuildNextListings(tx, after));
  } while (last !== null);
  await recountWords(db);
  await db.deleteFrom('pending_search_rebuild').execute();
}

export async function queuePendingRebuild(db: Db): Promise<void> {
  const pending = await db.selectFrom('pending_search_rebuild').select('is_only_row').executeTakeFirst();
  if (pending) await rebuildSearchJob.queue(db, {}, { key: 'once', delaySeconds: 0 });
}
