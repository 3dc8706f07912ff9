import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/** Does a read where stale data cannot hurt. */
export type Reading = <Result>(work: (db: Kysely<Tables>) => Promise<Result>) => Promise<Result>;

/** Milliseconds for which a replica that does not answer is left alone. */
const pause = 5_000;

/**
 * Reads the replica, and the database itself while there is none that answers: a copy that is away takes nothing with it.
 * @param onFailure is told why a replica is left alone
 */
export function createReading(
  primary: Kysely<Tables>,
  replica: Kysely<Tables> | null,
  onFailure: (error: unknown) => void,
): Reading {
  let awayUntil = -Infinity;
  return async (work) => {
    if (!replica || performance.now() < awayUntil) return work(primary);
    try {
      return await work(replica);
    } catch (error) {
      // A fault of the question is one there too, and then it is the answer.
      const result = await work(primary);
      awayUntil = performance.now() + pause;
      onFailure(error);
      return result;
    }
  };
}
