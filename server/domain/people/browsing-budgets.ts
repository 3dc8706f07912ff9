import type { FastifyRequest } from 'fastify';
import { type Budget, type Budgets, type Charge, repeat } from '#server/platform/limits/budgets.ts';
import type { Config } from '#server/platform/config/config.ts';
import { type Network, networksOf } from '#server/platform/limits/networks.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import type { Principal, Authentication } from '../accounts/authentication.ts';

type BrowsedItem = 'profiles' | 'missing' | 'pages';

export type BrowsedItems = ReadonlyMap<BrowsedItem, number>;

/**
 * Limits profiles and pages per hour and per day, for each account and each IP address, to prevent harvesting of the
 * directory. The limits are far above normal use.
 */
export interface BrowsingLimiter {
  /** Counts one item, or `times` items. @throws ProblemError too-many-requests with the seconds to wait */
  count(what: BrowsedItem, exchange: Exchange, times?: number): Promise<void>;
  /**
   * Counts items of a guest if that needs no query and no delay, as for most requests.
   * @returns false if nothing was counted: call `count`
   */
  tryCountGuest(items: BrowsedItems, request: FastifyRequest): boolean;
  /** Runs `work` without counting for the request. @returns its result, and what it would have counted */
  collect<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<[Result, BrowsedItems]>;
}

const hourSeconds = 60 * 60;

export function createBrowsingLimiter(
  budgets: Budgets,
  authentication: Authentication,
  { browsing }: Pick<Config, 'browsing'>,
): BrowsingLimiter {
  const { perHour, hoursPerDay, addressFactor } = browsing;
  const budgetsOf = (what: BrowsedItem, whose: 'account' | 'guests' | 'members'): Budget[] => {
    const maxHits = perHour[what === 'missing' ? 'profiles' : what] * (whose === 'account' ? 1 : addressFactor);
    return [
      { name: `browse:${what}:${whose}:hour`, maxHits, windowSeconds: hourSeconds },
      { name: `browse:${what}:${whose}:day`, maxHits: maxHits * hoursPerDay, windowSeconds: 24 * hourSeconds },
    ];
  };
  // Guests and members behind one IP address have separate budgets, so that guests cannot use up the members' budget.
  // Accounts that are not verified or not confirmed share the guests' budget, because creating accounts is easy.
  const all = (what: BrowsedItem) => ({
    account: budgetsOf(what, 'account'),
    members: budgetsOf(what, 'members'),
    guests: budgetsOf(what, 'guests'),
  });
  const known = { profiles: all('profiles'), missing: all('missing'), pages: all('pages') };
  const chargesOf = (ofNetwork: readonly Budget[], networks: readonly Network[]): Charge[] =>
    ofNetwork.flatMap((budget) =>
      networks.map(
        ({ prefix, limitFactor }) => [{ ...budget, maxHits: budget.maxHits * limitFactor }, prefix] as const,
      ),
    );
  const collections = new WeakMap<FastifyRequest, Map<BrowsedItem, number>>();
  return {
    collect: async (request, work) => {
      const items = new Map<BrowsedItem, number>();
      collections.set(request, items);
      try {
        return [await work(), items];
      } finally {
        collections.delete(request);
      }
    },
    tryCountGuest: (items, request) => {
      if (items.size === 0) return true;
      const networks = networksOf(request.ip);
      return budgets.trySpend(
        [...items].flatMap(([what, times]) => repeat(chargesOf(known[what].guests, networks), times)),
      );
    },
    count: async (what, exchange, times = 1) => {
      const { request } = exchange;
      const collected = collections.get(request);
      if (collected) {
        collected.set(what, (collected.get(what) ?? 0) + times);
        return;
      }
      // Read the address before awaiting: when the connection has closed, the address is undefined.
      const networks = networksOf(request.ip);
      const principal: Principal = await authentication.authenticate(exchange);
      const isTrusted = principal !== null && principal.account.emailVerified && !principal.account.awaitsConfirmation;
      const ofAccount = principal ? known[what].account.map((budget) => [budget, principal.account.id] as const) : [];
      const ofAddress = chargesOf(known[what][isTrusted ? 'members' : 'guests'], networks);
      // A missing profile does not use up the budget of other members behind the same address.
      await budgets.spend(isTrusted && what === 'missing' ? ofAccount : [...ofAccount, ...ofAddress], times);
    },
  };
}
