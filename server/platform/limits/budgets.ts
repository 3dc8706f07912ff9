import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '#server/db/client.ts';
import { waitUncounted } from './in-flight-requests.ts';
import { type RateLimiter, countHits, refundHits } from './rate-limits.ts';
import { ProblemError } from '../http/problem.ts';

export interface Budget {
  readonly name: string;
  readonly maxHits: number;
  readonly windowSeconds: number;
}

export type Charge = readonly [budget: Budget, subject: string];

export interface Budgets {
  /**
   * Charges each budget once, or `times` times. Requests are delayed when more than half of a budget is used, and
   * refused when it is used up.
   * @throws ProblemError too-many-requests with the seconds to wait
   */
  spend(charges: readonly Charge[], times?: number): Promise<void>;
  /**
   * Charges each budget if that needs no query and no delay, as for most requests.
   * @returns false if nothing was charged: call `spend`
   */
  trySpend(charges: readonly Charge[]): boolean;
}

/**
 * Processes fetch budgets in portions, so that most requests need no query. All processes together fetch a fiftieth of
 * a budget at a time, so up to a fiftieth can remain unused.
 */
const portionsPerBudget = 50;

interface Portion {
  readonly rowKey: string;
  remaining: number;
  readonly usedShare: number;
  /** Expiry time in milliseconds of `performance.now()`. */
  readonly expiresAtMs: number;
}

const createRefusal = (limit: string, retryAfterSeconds: number) =>
  new ProblemError('too-many-requests', {
    retryAfter: retryAfterSeconds,
    limit,
    detail: `You have viewed too many people in a short time. Try again in ${formatMinutes(Math.ceil(retryAfterSeconds / 60))}.`,
  });

const formatMinutes = (minutes: number) => {
  if (minutes > 120) return `${Math.ceil(minutes / 60)} hours`;
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
};

const defaultMaxPortions = 20_000;

/**
 * Creates budgets that apply across processes: a portion is counted in the database when it is fetched.
 * @param processes number of server processes that fetch portions
 * @param maxDelayMs delay of the last request that a budget allows
 * @param now returns milliseconds
 * @param maxPortions portions in memory; beyond that, the least recently used one is given back
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

  async function fetchPortion(key: string, { name, maxHits, windowSeconds }: Budget, subject: string): Promise<void> {
    const size = Math.ceil(maxHits / portionsPerBudget / processes);
    const rowKey = await limiter.createKey(name, [subject]);
    const { hits: counted, waitSeconds } = await countHits(db, rowKey, windowSeconds, size);
    keep(key, { rowKey, remaining: size, usedShare: counted / maxHits, expiresAtMs: now() + waitSeconds * 1000 });
    const [oldest] = portionsOf;
    if (portionsOf.size <= maxPortions || !oldest) return;
    const [oldKey, { rowKey: oldRow, remaining, expiresAtMs }] = oldest;
    portionsOf.delete(oldKey);
    if (remaining > 0 && expiresAtMs > now()) await refundHits(db, oldRow, remaining);
  }

  function keep(key: string, portion: Portion): void {
    portionsOf.delete(key);
    portionsOf.set(key, portion);
  }

  function takeKnown(key: string): Portion | undefined {
    const portion = portionsOf.get(key);
    if (!portion || portion.expiresAtMs <= now() || (portion.remaining <= 0 && portion.usedShare <= 1))
      return undefined;
    portion.remaining--;
    keep(key, portion);
    return portion;
  }

  async function take(budget: Budget, subject: string): Promise<Portion> {
    const key = keyOf(budget, subject);
    for (;;) {
      const portion = takeKnown(key);
      if (portion) return portion;
      const fetched = fetching.get(key) ?? fetchPortion(key, budget, subject).finally(() => fetching.delete(key));
      fetching.set(key, fetched);
      await fetched;
    }
  }

  return {
    trySpend: (charges) => {
      const charged: Portion[] = [];
      for (const [budget, subject] of charges) {
        const portion = takeKnown(keyOf(budget, subject));
        if (portion) charged.push(portion);
        if (!portion || portion.usedShare > 0.5) {
          for (const other of charged) other.remaining++;
          return false;
        }
      }
      return true;
    },
    spend: async (charges, times = 1) => {
      const charged: Portion[] = [];
      for (const [budget, subject] of repeat(charges, times)) {
        const portion = await take(budget, subject);
        if (portion.usedShare > 1) {
          // A refused request is not charged to the other budgets.
          for (const other of charged) other.remaining++;
          throw createRefusal(budget.name, Math.max(1, Math.ceil((portion.expiresAtMs - now()) / 1000)));
        }
        charged.push(portion);
      }
      const usedShare = Math.max(...charged.map((portion) => portion.usedShare));
      if (usedShare > 0.5) await waitUncounted(delay(maxDelayMs * (usedShare - 0.5) * 2));
    },
  };
}

const keyOf = ({ name }: Budget, subject: string): string => `${name} ${subject}`;

export const repeat = (charges: readonly Charge[], times: number): readonly Charge[] =>
  times === 1 ? charges : Array.from({ length: times }, () => charges).flat();
