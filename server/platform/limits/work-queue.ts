import { waitUncounted } from './in-flight-requests.ts';
import { ProblemError, pickRetrySeconds } from '../http/problem.ts';

/**
 * Runs at most `maxConcurrent` pieces of heavy work together and lets at most `maxWaiting` stand in line; more are turned away. Urgent work
 * has a line of its own, which is served first, but the usual line gets at least every second turn.
 */
export type WorkQueue = <Result>(work: () => Promise<Result>, options?: Urgency) => Promise<Result>;

export interface Urgency {
  /** Queue for known users: requests of strangers do not take their places and delay them by one turn at most. */
  readonly isUrgent?: boolean;
}

/**
 * For work that would otherwise take the machine from everybody else: hashing, pictures. What is turned away gets
 * `unavailable` with a time to come back.
 */
export function createWorkQueue({
  maxConcurrent,
  maxWaiting,
}: {
  maxConcurrent: number;
  maxWaiting: number;
}): WorkQueue {
  const [urgent, normal]: [(() => void)[], (() => void)[]] = [[], []];
  let running = 0;
  let wasUrgent = false;
  /** Alternates between the lines, so that users with many known devices cannot stop everyone else. */
  const dequeue = () => {
    const line = (wasUrgent ? [normal, urgent] : [urgent, normal]).find(({ length }) => length > 0);
    wasUrgent = line === urgent;
    return line?.shift();
  };
  return async (work, { isUrgent = false } = {}) => {
    const line = isUrgent ? urgent : normal;
    if (running >= maxConcurrent) {
      if (line.length >= maxWaiting)
        throw new ProblemError('unavailable', { detail: 'The server is busy.', retryAfter: pickRetrySeconds() });
      // Whoever finishes hands its place over, so `running` stays as it is.
      await waitUncounted(new Promise<void>((resolve) => line.push(resolve)));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      const next = dequeue();
      if (next) next();
      else running--;
    }
  };
}
