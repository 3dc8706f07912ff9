import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Budget, Budgets } from '../platform/limits/budgets.ts';
import type { Config } from '../platform/config/config.ts';
import { networksOf } from '../platform/limits/networks.ts';
import type { Principal, Authentication } from './authentication.ts';

/** What is counted: profiles that are opened, requests for profiles that are not there, and pages of lists and searches. */
export type BrowsedItem = 'profiles' | 'missing' | 'pages';

/**
 * Keeps a directory from being carried off: so many profiles and pages an hour and a day for each account, and for each address
 * with all who stand behind it. Nobody who looks for people comes near it; who walks through all of them does.
 */
export interface BrowsingLimiter {
  /** Counts one, or a page that is as long as several. @throws ProblemError too-many-requests with the seconds to wait */
  count(what: BrowsedItem, exchange: { request: FastifyRequest; reply: FastifyReply }, times?: number): Promise<void>;
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
  // Of an address, its guests have one budget and its accounts another: nobody without an account can keep those from looking.
  // An account without a verified mailbox costs nothing, so it shares the budget of the guests.
  const all = (what: BrowsedItem) => ({
    account: budgetsOf(what, 'account'),
    members: budgetsOf(what, 'members'),
    guests: budgetsOf(what, 'guests'),
  });
  const known = { profiles: all('profiles'), missing: all('missing'), pages: all('pages') };
  return {
    count: async (what, { request, reply }, times = 1) => {
      // Read first: whoever goes away meanwhile has no address any more.
      const networks = networksOf(request.ip);
      const principal: Principal = await authentication.authenticate(request, reply);
      const isVerified = principal?.account.emailVerified ?? false;
      const ofAccount = principal ? known[what].account.map((budget) => [budget, principal.account.id] as const) : [];
      const ofAddress = known[what][isVerified ? 'members' : 'guests'].flatMap((budget) =>
        networks.map(
          ({ prefix, limitFactor }) => [{ ...budget, maxHits: budget.maxHits * limitFactor }, prefix] as const,
        ),
      );
      // What is not there takes nothing from other members at the same address.
      await budgets.spend(isVerified && what === 'missing' ? ofAccount : [...ofAccount, ...ofAddress], times);
    },
  };
}
