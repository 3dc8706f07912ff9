import { waitUncounted } from './in-flight-requests.ts';
import { ProblemError, retrySoon } from '../http/problem.ts';

/**
 * Runs at most `atOnce` pieces of heavy work together and lets at most `waiting` stand in line; more are turned away. Urgent work
 * has a line of its own, which is served first, but the usual line gets at least every second turn.
 */
export type Queue = <Result>(work: () => Promise<Result>, options?: Urgency) => Promise<Result>;

export interface Urgency {
  /** Queue for known users: requests of strangers do not take their places and delay them by one turn at most. */
  readonly isUrgent?: boolean;
}

/**
 * For work that would otherwise take the machine from everybody else: hashing, pictures. What is turned away gets
 * `unavailable` with a time to come back.
 */
export function createQueue({ atOnce, waiting }: { atOnce: number; waiting: number }): Queue {
  const [urgent, usual]: [(() => void)[], (() => void)[]] = [[], []];
  let running = 0;
  let wasUrgent = false;
  /** Alternates between the lines, so that users with many known devices cannot stop everyone else. */
  const takeNext = () => {
    const line = (wasUrgent ? [usual, urgent] : [urgent, usual]).find(({ length }) => length > 0);
    wasUrgent = line === urgent;
    return line?.shift();
  };
  return async (work, { isUrgent = false } = {}) => {
    const line = isUrgent ? urgent : usual;
    if (running >= atOnce) {
      if (line.length >= waiting)
        throw new ProblemError('unavailable', { detail: 'The server is busy.', retryAfter: retrySoon() });
      // Whoever finishes hands its place over, so `running` stays as it is.
      await waitUncounted(new Promise<void>((resolve) => line.push(resolve)));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      const next = takeNext();
      if (next) next();
      else running--;
    }
  };
}
