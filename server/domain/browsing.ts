import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Budget, Budgets } from '../platform/budgets.ts';
import type { Config } from '../platform/config.ts';
import { networkOf } from '../platform/limits.ts';
import type { Caller, Callers } from './callers.ts';

/** What is counted: profiles that are opened, and pages of lists and searches. */
export type Browsed = 'profiles' | 'pages';

/**
 * Keeps a directory from being carried off: so many profiles and pages an hour and a day for each account, and for each address
 * with all who stand behind it. Nobody who looks for people comes near it; who walks through all of them does.
 */
export interface Browsing {
  /** Counts one, or a page that is as long as several. @throws ProblemError too-many-requests with the seconds to wait */
  count(what: Browsed, exchange: { request: FastifyRequest; reply: FastifyReply }, times?: number): Promise<void>;
}

const hour = 60 * 60;

export function createBrowsing(budgets: Budgets, callers: Callers, { browsing }: Pick<Config, 'browsing'>): Browsing {
  const { perHour, hoursPerDay, addressFactor } = browsing;
  const budgetsOf = (what: Browsed, whose: 'account' | 'guests' | 'members'): Budget[] => {
    const hits = perHour[what] * (whose === 'account' ? 1 : addressFactor);
    return [
      { name: `browse:${what}:${whose}:hour`, hits, seconds: hour },
      { name: `browse:${what}:${whose}:day`, hits: hits * hoursPerDay, seconds: 24 * hour },
    ];
  };
  // Of an address, its guests have one budget and its accounts another: nobody without an account can keep those from looking.
  const all = (what: Browsed) => ({
    account: budgetsOf(what, 'account'),
    members: budgetsOf(what, 'members'),
    guests: budgetsOf(what, 'guests'),
  });
  const known = { profiles: all('profiles'), pages: all('pages') };
  return {
    count: async (what, { request, reply }, times = 1) => {
      // Read first: whoever goes away meanwhile has no address any more.
      const address = networkOf(request.ip);
      const caller: Caller = await callers.find(request, reply);
      const shares = [
        ...(caller ? known[what].account.map((budget) => [budget, caller.account.id] as const) : []),
        ...known[what][caller ? 'members' : 'guests'].map((budget) => [budget, address] as const),
      ];
      await budgets.spend(shares, times);
    },
  };
}
