import type { FastifyInstance } from 'fastify';
import { cardsPerPage } from '#contract/page-sizes.ts';
import type { Context } from '#server/domain/context.ts';
import { withGuestDepartments } from '#server/domain/people/guest-departments.ts';
import { toListingAudience, toCard } from '#server/domain/people/visibility.ts';
import { mount, mountCached } from '#server/domain/api/mount.ts';
import { findCareerMatches } from './careers.ts';
import { countMatches, findPeople, maxResults } from './queries.ts';
import { explain } from './ranking.ts';

export function searchRoutes(app: FastifyInstance, context: Context): void {
  const { readReplica, authentication, browsingLimiter, institution } = context;

  mount(app, 'GET /api/search', async ({ query: { q, ...filters } }, exchange) => {
    await browsingLimiter.count('pages', exchange);
    const audience = toListingAudience((await authentication.authenticate(exchange))?.account);
    const { hits, terms, facets, ...found } = await readReplica(async (db) => {
      const result = await findPeople(db, audience, institution, q, filters);
      return {
        ...result,
        facets: result.facets && (await withGuestDepartments(db, audience, institution, result.facets)),
      };
    });
    // Counts as one more page, because it shows as many people as two pages of a list.
    if (hits.length > cardsPerPage) await browsingLimiter.count('pages', exchange);
    const items = hits
      .slice(0, maxResults)
      .map((row) => ({ ...toCard(row, institution.abbreviation), matches: explain(row, terms) }));
    return { items, ...found, facets };
  });
  mountCached(
    app,
    context,
    'GET /api/search/facets',
    ({ query: { q, ...filters } }, audience) =>
      readReplica(async (db) => {
        const { facets, ...found } = await countMatches(db, audience, institution, q, filters);
        return { ...found, facets: facets && (await withGuestDepartments(db, audience, institution, facets)) };
      }),
    { countRequest: (exchange) => browsingLimiter.count('pages', exchange) },
  );
  mount(app, 'GET /api/search/careers', async ({ query: { q } }, exchange) => {
    const list = { viewerId: exchange.session.account.id, schoolLabel: institution.abbreviation };
    const found = await readReplica((db) => findCareerMatches({ db, ...list }, q));
    // Most searches are for names and find none.
    if (found.people.length > 0) await browsingLimiter.count('pages', exchange);
    return found;
  });
}
