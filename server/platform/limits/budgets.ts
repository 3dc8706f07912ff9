import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/client.ts';
import { waitUncounted } from './in-flight-requests.ts';
import { type RateLimiter, countHits, refundHits } from './rate-limits.ts';
import { ProblemError } from '../http/problem.ts';

/** How much of something a subject may have in a window of time. */
export interface Budget {
  readonly name: string;
  readonly maxHits: number;
  /** Of the window. */
  readonly windowSeconds: number;
}

export interface Budgets {
  /**
   * Takes so many of each. Whoever has used up more than half of a budget waits a little, longer and longer; whoever has used it
   * up is refused.
   * @throws ProblemError too-many-requests with the seconds to wait
   */
  spend(charges: readonly (readonly [budget: Budget, subject: string])[], times?: number): Promise<void>;
}

/** All processes together fetch a fiftieth of a budget at a time, so that most requests cost no query; so much may stay unused. */
const portionsPerBudget = 50;

/** What a process has fetched of a budget and not given out yet. */
interface Portion {
  /** Of its count in the database. */
  readonly rowKey: string;
  remaining: number;
  /** How much of the budget is gone, from 0 to 1, and more than 1 when it is used up. */
  readonly usedShare: number;
  /** Milliseconds, of this process's own clock. */
  readonly expiresAtMs: number;
}

/** @param windowSeconds until one can go on */
const refusal = (limit: string, windowSeconds: number) =>
  new ProblemError('too-many-requests', {
    retryAfter: windowSeconds,
    limit,
    detail: `You have looked at very many people. Go on in ${inWords(Math.ceil(windowSeconds / 60))}.`,
  });

const inWords = (minutes: number) => {
  if (minutes > 120) return `${Math.ceil(minutes / 60)} hours`;
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
};

/** Portions that a process keeps. */
const defaultMaxPortions = 20_000;

/**
 * Counts in the database, so budgets hold across processes: a portion is paid for when it is fetched.
 * @param processes how many of this server share what is fetched
 * @param maxDelayMs the delay of the last request of a budget
 * @param now milliseconds
 * @param maxPortions portions; the one that was not used for longest makes room, and what was left of it is given back
 */
export function createBudgets(
  db: Db,
  limiter: Pick<RateLimiter<string>, 'createKey'>,
  processes: number,
  maxDelayMs: number,
  now: () => number = () => performance.now(),
  maxPortions = defaultMaxPortions,
): Budgets {
  const portionsOf = new Map<string, Portion>();

  const fetching = new Map<string, Promise<void>>();

  async function fetchPortion(
    key: string,
    { name, maxHits, windowSeconds: seconds }: Budget,
    subject: string,
  ): Promise<void> {
    const size = Math.ceil(maxHits / portionsPerBudget / processes);
    const rowKey = await limiter.createKey(name, [subject]);
    const { hits: counted, waitSeconds } = await countHits(db, rowKey, seconds, size);
    keep(key, { rowKey, remaining: size, usedShare: counted / maxHits, expiresAtMs: now() + waitSeconds * 1000 });
    const [oldest] = portionsOf;
    if (portionsOf.size <= maxPortions || !oldest) return;
    const [oldKey, { rowKey: oldRow, remaining, expiresAtMs }] = oldest;
    portionsOf.delete(oldKey);
    if (remaining > 0 && expiresAtMs > now()) await refundHits(db, oldRow, remaining);
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
      if (portion && portion.expiresAtMs > now() && (portion.remaining > 0 || portion.usedShare > 1)) {
        portion.remaining--;
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
        if (portion.usedShare > 1) {
          // Who is refused for one reason pays nothing for the others.
          for (const other of taken) other.remaining++;
          throw refusal(budget.name, Math.max(1, Math.ceil((portion.expiresAtMs - now()) / 1000)));
        }
        taken.push(portion);
      }
      const used = Math.max(...taken.map((portion) => portion.usedShare));
      if (used > 0.5) await waitUncounted(delay(maxDelayMs * (used - 0.5) * 2));
    },
  };
}
