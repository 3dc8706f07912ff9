import { waitUncounted } from './in-flight-requests.ts';
import { ProblemError, pickRetrySeconds } from '../http/problem.ts';

/**
 * Runs work with the same key one at a time, in this process. Waiting work uses no database connection. The next work
 * starts when the previous one has succeeded or failed.
 */
type KeyedMutex = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Creates a keyed mutex.
 * @param maxWaiting maximum number of calls that wait for one key; further calls fail with auth/too-many-requests
 */
export function createKeyedMutex(maxWaiting: number): KeyedMutex {
  const waiting = new Map<string, (() => void)[]>();
  return async (key, work) => {
    const line = waiting.get(key);
    if (line && line.length >= maxWaiting) {
      throw new ProblemError('auth/too-many-requests', {
        detail: 'Other changes to this account are still being saved. Try again in a few seconds.',
        retryAfter: pickRetrySeconds(),
        limit: 'writesAtOnce',
      });
    }
    if (line) await waitUncounted(new Promise<void>((resolve) => line.push(resolve)));
    else waiting.set(key, []);
    try {
      return await work();
    } finally {
      const next = waiting.get(key)?.shift();
      if (next) next();
      else waiting.delete(key);
    }
  };
}
