import { waitUncounted } from './in-flight-requests.ts';
import { ProblemError, retrySoon } from '../http/problem.ts';

/**
 * Runs work with the same key one after another, in this process. What waits holds no connection to the database, and the next
 * one begins when the one before has ended, whether well or not.
 */
export type Turns = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

/** @param mostWaiting pieces of work with one key that wait; more are refused with auth/too-many-requests */
export function createTurns(mostWaiting: number): Turns {
  const lines = new Map<string, (() => void)[]>();
  return async (key, work) => {
    const line = lines.get(key);
    if (line && line.length >= mostWaiting) {
      throw new ProblemError('auth/too-many-requests', {
        detail: 'Other changes of this account are still being saved. Try again in a few seconds.',
        retryAfter: retrySoon(),
        limit: 'writesAtOnce',
      });
    }
    if (line) await waitUncounted(new Promise<void>((resolve) => line.push(resolve)));
    else lines.set(key, []);
    try {
      return await work();
    } finally {
      const next = lines.get(key)?.shift();
      if (next) next();
      else lines.delete(key);
    }
  };
}
