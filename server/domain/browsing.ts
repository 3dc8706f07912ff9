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
  const budgetsOf = (what: Browsed, whose: 'account' | 'address'): Budget[] => {
    const hits = perHour[what] * (whose === 'account' ? 1 : addressFactor);
    return [
      { name: `browse:${what}:${whose}:hour`, hits, seconds: hour },
      { name: `browse:${what}:${whose}:day`, hits: hits * hoursPerDay, seconds: 24 * hour },
    ];
  };
  const known = {
    profiles: { account: budgetsOf('profiles', 'account'), address: budgetsOf('profiles', 'address') },
    pages: { account: budgetsOf('pages', 'account'), address: budgetsOf('pages', 'address') },
  };
  return {
    count: async (what, { request, reply }, times = 1) => {
      const caller: Caller = await callers.find(request, reply);
      const address = networkOf(request.ip);
      const shares = [
        ...(caller ? known[what].account.map((budget) => [budget, caller.account.id] as const) : []),
        ...known[what].address.map((budget) => [budget, address] as const),
      ];
      for (let time = 0; time < times; time++) await budgets.spend(...shares);
    },
  };
}
