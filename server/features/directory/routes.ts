import type { FastifyInstance } from 'fastify';
import { getInstitutionFacts } from '#contract/institution.ts';
import { cardsPerPage } from '#contract/page-sizes.ts';
import type { Context } from '#server/domain/context.ts';
import { withGuestDepartments } from '#server/domain/people/guest-departments.ts';
import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import { sessionTtlDays } from '#server/domain/accounts/sessions.ts';
import { toCard } from '#server/domain/people/visibility.ts';
import { mount, mountCached } from '#server/domain/api/mount.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import { maxRateLimitWindowSeconds } from '#server/domain/rate-limit-rules.ts';
import { findPage } from './card-pages.ts';
import { countPeople, findFaces, findFacets, findYears } from './queries.ts';

const welcomeFaces = 15;

export function directoryRoutes(app: FastifyInstance, context: Context): void {
  const { db, readReplica, browsingLimiter, config, institution } = context;
  const countPages = (exchange: Exchange, { limit }: { limit: number }) =>
    browsingLimiter.count('pages', exchange, Math.ceil(limit / cardsPerPage));

  mountCached(
    app,
    context,
    'GET /api/users',
    async ({ query: { sort, after, limit, firstClass, ...filters } }, audience) => {
      const { rows, next } = await readReplica((db) =>
        findPage(db, { audience, filters, limit, firstClass }, sort, after),
      );
      return { items: rows.map((row) => toCard(row, institution.abbreviation)), next };
    },
    // Pages after a cursor are rarely requested twice within a second.
    { countRequest: countPages, isCached: ({ after }) => after === undefined },
  );
  mountCached(
    app,
    context,
    'GET /api/users/welcome',
    (_, audience) =>
      readReplica(async (db) => {
        const [rows, { count: members, departments }, years] = await Promise.all([
          findFaces(db, audience, welcomeFaces),
          countPeople(db, audience, {}),
          findYears(db, audience, {}),
        ]);
        return { faces: rows.map((row) => toCard(row, institution.abbreviation)), members, departments, years };
      }),
    // Members get what guests get.
    { audience: 'everyone' },
  );
  mountCached(app, context, 'GET /api/users/count', ({ query }, audience) =>
    readReplica((db) => countPeople(db, audience, query)),
  );
  mountCached(app, context, 'GET /api/users/facets', ({ query }, audience) =>
    readReplica(async (db) => withGuestDepartments(db, audience, institution, await findFacets(db, audience, query))),
  );
  mountCached(app, context, 'GET /api/users/years', async ({ query }, audience) => ({
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
