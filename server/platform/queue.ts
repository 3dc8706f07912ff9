import { resting } from './busy.ts';
import { ProblemError, retrySoon } from './problem.ts';

/**
 * Runs at most `atOnce` pieces of heavy work together and lets at most `waiting` stand in line; more are turned away. Urgent work
 * has a line of its own, which is served first.
 */
export type Queue = <Result>(work: () => Promise<Result>, options?: Urgency) => Promise<Result>;

export interface Urgency {
  /** Queue for known users: requests of strangers neither delay them nor take their places. */
  readonly isUrgent?: boolean;
}

/**
 * For work that would otherwise take the machine from everybody else: hashing, pictures. What is turned away gets
 * `unavailable` with a time to come back.
 */
export function createQueue({ atOnce, waiting }: { atOnce: number; waiting: number }): Queue {
  const [urgent, usual]: [(() => void)[], (() => void)[]] = [[], []];
  let running = 0;
  return async (work, { isUrgent = false } = {}) => {
    const line = isUrgent ? urgent : usual;
    if (running >= atOnce) {
      if (line.length >= waiting)
        throw new ProblemError('unavailable', { detail: 'The server is busy.', retryAfter: retrySoon() });
      // Whoever finishes hands its place over, so `running` stays as it is.
      await resting(new Promise<void>((resolve) => line.push(resolve)));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      const next = urgent.shift() ?? usual.shift();
      if (next) next();
      else running--;
    }
  };
}
