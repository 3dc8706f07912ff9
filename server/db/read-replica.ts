import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/** Runs a query that may return slightly stale data, such as a list or a search. */
export type ReadReplica = <Result>(work: (db: Kysely<Tables>) => Promise<Result>) => Promise<Result>;

const retryDelayMs = 5_000;

/**
 * Creates a reader that uses the replica, or the primary if no replica is configured or the replica does not respond.
 * @param onFailure receives the error of a failed replica
 */
export function createReadReplica(
  primary: Kysely<Tables>,
  replica: Kysely<Tables> | null,
  onFailure: (error: unknown) => void,
): ReadReplica {
  let unavailableUntil = -Infinity;
  return async (work) => {
    if (!replica || performance.now() < unavailableUntil) return work(primary);
    try {
      return await work(replica);
    } catch (error) {
      // A faulty statement fails on the primary as well, and the caller gets that error.
      const result = await work(primary);
      unavailableUntil = performance.now() + retryDelayMs;
      onFailure(error);
      return result;
    }
  };
}
