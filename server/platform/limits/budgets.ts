import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../db/client.ts';
import { waitUncounted } from './in-flight-requests.ts';
import { type Limiter, countHits, takeBackHits } from './rate-limits.ts';
import { ProblemError } from '../http/problem.ts';

/** How much of something a subject may have in a window of time. */
export interface Budget {
  readonly name: string;
  readonly hits: number;
  /** Of the window. */
  readonly seconds: number;
}

export interface Budgets {
  /**
   * Takes so many of each. Whoever has used up more than half of a budget waits a little, longer and longer; whoever has used it
   * up is refused.
   * @throws ProblemError too-many-requests with the seconds to wait
   */
  spend(shares: readonly (readonly [budget: Budget, subject: string])[], times?: number): Promise<void>;
}

/** All processes together fetch a fiftieth of a budget at a time, so that most requests cost no query; so much may stay unused. */
const portions = 50;

/** What a process has fetched of a budget and not given out yet. */
interface Portion {
  /** Of its count in the database. */
  readonly row: string;
  left: number;
  /** How much of the budget is gone, from 0 to 1, and more than 1 when it is used up. */
  readonly used: number;
  /** Milliseconds, of this process's own clock. */
  readonly until: number;
}

/** @param seconds until one can go on */
const refusal = (limit: string, seconds: number) =>
  new ProblemError('too-many-requests', {
    retryAfter: seconds,
    limit,
    detail: `You have looked at very many people. Go on in ${inWords(Math.ceil(seconds / 60))}.`,
  });

const inWords = (minutes: number) => {
  if (minutes > 120) return `${Math.ceil(minutes / 60)} hours`;
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
};

/** Portions that a process keeps. */
const usuallyKept = 20_000;

/**
 * Counts in the database, so budgets hold across processes: a portion is paid for when it is fetched.
 * @param processes how many of this server share what is fetched
 * @param maxDelayMs the delay of the last request of a budget
 * @param now milliseconds
 * @param mostKept portions; the one that was not used for longest makes room, and what was left of it is given back
 */
export function createBudgets(
  db: Db,
  limiter: Pick<Limiter, 'keyOf'>,
  processes: number,
  maxDelayMs: number,
  now: () => number = () => performance.now(),
  mostKept = usuallyKept,
): Budgets {
  const portionsOf = new Map<string, Portion>();

  const fetching = new Map<string, Promise<void>>();

  async function fetchPortion(key: string, { name, hits, seconds }: Budget, subject: string): Promise<void> {
    const size = Math.ceil(hits / portions / processes);
    const row = await limiter.keyOf(name, [subject]);
    const { hits: counted, wait } = await countHits(db, row, seconds, size);
    keep(key, { row, left: size, used: counted / hits, until: now() + wait * 1000 });
    const [oldest] = portionsOf;
    if (portionsOf.size <= mostKept || !oldest) return;
    const [oldKey, { row: oldRow, left, until }] = oldest;
    portionsOf.delete(oldKey);
    if (left > 0 && until > now()) await takeBackHits(db, oldRow, left);
  }

  /** The one that was used last stands last. */
  function keep(key: string, portion: Portion): void {
    portionsOf.delete(key);
    portionsOf.set(key, portion);
  }

  /** One of the budget, out of the portion that this process has, or of a new one that all who wait for it share. */
  async function take(budget: Budget, subject: string): Promise<Portion> {
    const key = `${budget.name} ${subject}`;
    for (;;) {
      const portion = portionsOf.get(key);
      if (portion && portion.until > now() && (portion.left > 0 || portion.used > 1)) {
        portion.left--;
        keep(key, portion);
        return portion;
      }
      const fetched = fetching.get(key) ?? fetchPortion(key, budget, subject).finally(() => fetching.delete(key));
      fetching.set(key, fetched);
      await fetched;
    }
  }

  return {
    spend: async (shares, times = 1) => {
      const taken: Portion[] = [];
      for (const [budget, subject] of Array.from({ length: times }, () => shares).flat()) {
        const portion = await take(budget, subject);
        if (portion.used > 1) {
          // Who is refused for one reason pays nothing for the others.
          for (const other of taken) other.left++;
          throw refusal(budget.name, Math.max(1, Math.ceil((portion.until - now()) / 1000)));
        }
        taken.push(portion);
      }
      const used = Math.max(...taken.map((portion) => portion.used));
      if (used > 0.5) await waitUncounted(pause(maxDelayMs * (used - 0.5) * 2));
    },
  };
}
