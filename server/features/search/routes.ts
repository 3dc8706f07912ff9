import type { FastifyInstance } from 'fastify';
import { cardsPerPage } from '#contract/page-sizes.ts';
import { isMemberPrincipal } from '#server/domain/accounts/authentication.ts';
import type { Context } from '#server/domain/context.ts';
import { withGuestDepartments } from '#server/domain/people/guest-departments.ts';
import { toListingAudience, toCard } from '#server/domain/people/visibility.ts';
import { mount, mountCached } from '#server/domain/api/mount.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import { findCareerMatches, findSimilarEmployer } from './careers.ts';
import { countMatches, findPeople, maxResults } from './queries.ts';
import { hasFilters } from './listing-rows.ts';
import { explain } from './ranking.ts';

/** If a search finds fewer people, it also looks for employers with a similar name. */
const minHits = 10;

export function searchRoutes(
  app: FastifyInstance,
  { readReplica, authentication, browsingLimiter, institution, listCache }: Context,
): void {
  const audienceOf = async ({ request, reply }: Exchange) =>
    toListingAudience(isMemberPrincipal(await authentication.authenticate(request, reply)));

  mount(app, 'GET /api/search', async ({ query: { q, ...filters } }, { request, reply }) => {
    await browsingLimiter.count('pages', { request, reply });
    const audience = await audienceOf({ request, reply });
    const { hits, terms, facets, careers, ...found } = await readReplica(async (db) => {
      const seesCareers = audience === 'members' && !hasFilters(filters);
      const [result, matches] = await Promise.all([
        findPeople(db, audience, institution, q, filters),
        seesCareers ? findCareerMatches(db, q, institution.abbreviation) : null,
      ]);
      return {
        ...result,
        facets: result.facets && (await withGuestDepartments(db, audience, institution, result.facets)),
        careers:
          matches ??
          // A text that finds many people is no misspelled employer.
          (seesCareers && result.hits.length < minHits
            ? await findSimilarEmployer(db, q, institution.abbreviation)
            : null),
      };
    });
    // Counts as one more page, because it shows as many people as two pages of a list.
    if (hits.length + (careers?.people.length ?? 0) > cardsPerPage)
      await browsingLimiter.count('pages', { request, reply });
    const items = hits
      .slice(0, maxResults)
      .map((row) => ({ ...toCard(row, institution.abbreviation), matches: explain(row, terms) }));
    return { items, ...found, facets, ...(careers && { careers }) };
  });
  mountCached(
    app,
    'GET /api/search/facets',
    { cache: listCache, audienceOf, countRequest: (exchange) => browsingLimiter.count('pages', exchange) },
    ({ query: { q, ...filters } }, audience) =>
      readReplica(async (db) => {
        const { facets, ...found } = await countMatches(db, audience, institution, q, filters);
        return { ...found, facets: facets && (await withGuestDepartments(db, audience, institution, facets)) };
      }),
  );
}
