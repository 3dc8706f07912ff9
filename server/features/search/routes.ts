import type { FastifyInstance } from 'fastify';
import { cardsPerPage } from '#contract/page-sizes.ts';
import { isMemberPrincipal } from '../../domain/authentication.ts';
import type { Context } from '../../domain/context.ts';
import { withGuestDepartments } from '../../domain/guest-departments.ts';
import { toListingAudience, toCard } from '../../domain/visibility.ts';
import { mount } from '../../platform/http/mount.ts';
import { findPeople } from './queries.ts';
import { explain } from './ranking.ts';

/** Maximum number of results in a response. */
const maxResults = 48;

export function searchRoutes(
  app: FastifyInstance,
  { readReplica, authentication, browsingLimiter, institution }: Context,
): void {
  mount(app, 'GET /api/search', async ({ query: { q, ...filters } }, { request, reply }) => {
    await browsingLimiter.count('pages', { request, reply });
    const audience = toListingAudience(isMemberPrincipal(await authentication.authenticate(request, reply)));
    const { hits, terms, ...found } = await readReplica(async (db) => {
      const result = await findPeople(db, audience, q, filters);
      return { ...result, facets: await withGuestDepartments(db, audience, institution, result.facets) };
    });
    // Counts as one more page, because it shows as many people as two pages of a list.
    if (hits.length > cardsPerPage) await browsingLimiter.count('pages', { request, reply });
    return {
      items: hits
        .slice(0, maxResults)
        .map((row) => ({ ...toCard(row, institution.abbreviation), matches: explain(row, terms) })),
      ...found,
    };
  });
}
