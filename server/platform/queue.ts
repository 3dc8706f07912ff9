import { resting } from './busy.ts';
import { ProblemError, retrySoon } from './problem.ts';

/** Runs at most `atOnce` pieces of heavy work together and lets at most `waiting` stand in line; more are turned away. */
export type Queue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * For work that would otherwise take the machine from everybody else: hashing, pictures. What is turned away gets
 * `unavailable` with a time to come back.
 */
export function createQueue({ atOnce, waiting }: { atOnce: number; waiting: number }): Queue {
  const line: (() => void)[] = [];
  let running = 0;
  return async (work) => {
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
      const next = line.shift();
      if (next) next();
      else running--;
    }
  };
}
