import type { FastifyInstance } from 'fastify';
import { getInstitutionFacts } from '#contract/institution.ts';
import { cardsPerPage } from '#contract/page-sizes.ts';
import type { Context } from '#server/domain/context.ts';
import { withGuestDepartments } from '#server/domain/people/guest-departments.ts';
import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import { sessionTtlDays } from '#server/domain/accounts/sessions.ts';
import { toListingAudience, toCard } from '#server/domain/people/visibility.ts';
import { mount, mountCached } from '#server/domain/api/mount.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import { maxRateLimitWindowSeconds } from '#server/domain/rate-limit-rules.ts';
import { findPage } from './card-pages.ts';
import { countPeople, findFaces, findFacets, findYears } from './queries.ts';

const welcomeFaces = 15;

export function directoryRoutes(
  app: FastifyInstance,
  { db, readReplica, authentication, browsingLimiter, config, institution, listCache }: Context,
): void {
  // All guests get the same response, and so do all members.
  const cached = {
    cache: listCache,
    audienceOf: async (exchange: Exchange) => toListingAudience((await authentication.authenticate(exchange))?.account),
  };
  const countPages = (exchange: Exchange, { limit }: { limit: number }) =>
    browsingLimiter.count('pages', exchange, Math.ceil(limit / cardsPerPage));

  mountCached(
    app,
    'GET /api/users',
    // Pages after a cursor are rarely requested twice within a second.
    { ...cached, countRequest: countPages, isCached: ({ after }) => after === undefined },
    async ({ query: { sort, after, limit, firstClass, ...filters } }, audience) => {
      const { rows, next } = await readReplica((db) =>
        findPage(db, { audience, filters, limit, firstClass }, sort, after),
      );
      return { items: rows.map((row) => toCard(row, institution.abbreviation)), next };
    },
  );
  // Members get what guests get.
  const forEveryone = { cache: listCache, audienceOf: async () => toListingAudience() };
  mountCached(app, 'GET /api/users/welcome', forEveryone, (_, audience) =>
    readReplica(async (db) => {
      const [rows, { count: members, departments }, years] = await Promise.all([
        findFaces(db, audience, welcomeFaces),
        countPeople(db, audience, {}),
        findYears(db, audience, {}),
      ]);
      return { faces: rows.map((row) => toCard(row, institution.abbreviation)), members, departments, years };
    }),
  );
  mountCached(app, 'GET /api/users/count', cached, ({ query }, audience) =>
    readReplica((db) => countPeople(db, audience, query)),
  );
  mountCached(app, 'GET /api/users/facets', cached, ({ query }, audience) =>
    readReplica(async (db) => withGuestDepartments(db, audience, institution, await findFacets(db, audience, query))),
  );
  mountCached(app, 'GET /api/users/years', cached, async ({ query }, audience) => ({
    years: await readReplica((db) => findYears(db, audience, query)),
  }));
  mount(app, 'GET /api/institution/privacy', async () => ({
    ...institution.privacy,
    sessionDays: sessionTtlDays,
    rateLimitHours: maxRateLimitWindowSeconds / 3_600,
    hideUnusedAfterMonths: institution.hideUnusedAfterMonths ?? null,
    confirmsMembers: await requiresConfirmation(db),
    allowsInvitations: institution.allowsInvitations,
    tracerReport: institution.tracerReport,
    ...(config.campus && { campusProvider: new URL(config.campus.issuer).host }),
  }));
  mount(app, 'GET /api/institution', async () => getInstitutionFacts(institution, new Date()));
}
