import { waitUncounted } from './in-flight-requests.ts';
import { ProblemError, pickRetrySeconds } from '../http/problem.ts';

/**
 * Runs CPU-heavy work with limited concurrency, and refuses work when the queue is full. Urgent work has a separate
 * queue with priority, but every second turn is for the normal queue.
 */
type WorkQueue = <Result>(work: () => Promise<Result>, options?: Urgency) => Promise<Result>;

export interface Urgency {
  /**
   * Whether the work is for a known user. Work for unknown users delays the work of known users by at most one turn.
   */
  readonly isUrgent?: boolean;
}

/**
 * Creates a queue for work that would otherwise slow down all other requests, such as hashing passwords or decoding
 * pictures.
 * When `maxWaiting` calls wait, a further call throws ProblemError unavailable, with the seconds to wait.
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
  /** Alternates between the queues, so that users with many known devices cannot block all other users. */
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
      // Waits until finished work passes on its slot, so `running` does not change.
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
