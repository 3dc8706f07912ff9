import type { FastifyInstance } from 'fastify';
import { getInstitutionFacts } from '#contract/institution.ts';
import { cardsPerPage } from '#contract/page-sizes.ts';
import { isMemberPrincipal } from '../../domain/authentication.ts';
import type { Context } from '../../domain/context.ts';
import { withGuestDepartments } from '../../domain/guest-departments.ts';
import { sessionTtlDays } from '../../domain/sessions.ts';
import { toListingAudience, toCard } from '../../domain/visibility.ts';
import { type Exchange, mount, mountCached } from '../../platform/http/mount.ts';
import { maxWindowSeconds } from '../../platform/limits/rate-limits.ts';
import { countPeople, findFacets, findNewest, findPage, findYears } from './queries.ts';

/** How many of the newest members the welcome page shows. */
const maxNewestMembers = 6;

/** The lists of people: a page of cards, counts, and what can be filtered by. */
export function directoryRoutes(
  app: FastifyInstance,
  { readReplica, authentication, browsingLimiter, institution, listCache }: Context,
): void {
  // All guests see the same lists, and so do all members.
  const shared = {
    answers: listCache,
    audienceOf: async ({ request, reply }: Exchange) =>
      toListingAudience(isMemberPrincipal(await authentication.authenticate(request, reply))),
  };

  const counted = {
    ...shared,
    audienceOf: async (exchange: Exchange) => {
      const { limit } = exchange.request.query as { limit: number };
      await browsingLimiter.count('pages', exchange, Math.ceil(limit / cardsPerPage));
      return shared.audienceOf(exchange);
    },
  };

  mountCached(app, 'GET /api/users', counted, async ({ query: { after, limit, ...filters } }, audience) => {
    const { rows, next } = await readReplica((db) => findPage(db, audience, filters, after, limit));
    return { items: rows.map((row) => toCard(row, institution.abbreviation)), next };
  });
  mountCached(app, 'GET /api/users/newest', shared, async (_, audience) => {
    const rows = await readReplica((db) => findNewest(db, audience, maxNewestMembers));
    return { items: rows.map((row) => toCard(row, institution.abbreviation)) };
  });
  mountCached(app, 'GET /api/users/count', shared, ({ query }, audience) =>
    readReplica((db) => countPeople(db, audience, query)),
  );
  mountCached(app, 'GET /api/users/facets', shared, ({ query }, audience) =>
    readReplica(async (db) => withGuestDepartments(db, audience, institution, await findFacets(db, audience, query))),
  );
  mountCached(app, 'GET /api/users/years', shared, async ({ query }, audience) => ({
    years: await readReplica((db) => findYears(db, audience, query)),
  }));
  mount(app, 'GET /api/institution/privacy', async () => ({
    ...institution.privacy,
    sessionDays: sessionTtlDays,
    rateLimitHours: maxWindowSeconds / 3_600,
    hideUnusedAfterMonths: institution.hideUnusedAfterMonths ?? null,
  }));
  mount(app, 'GET /api/institution', async () => getInstitutionFacts(institution, new Date()));
}
