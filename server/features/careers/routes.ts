import type { FastifyInstance } from 'fastify';
import { cardsPerPage } from '#contract/page-sizes.ts';
import { mount, mountCached } from '#server/domain/api/mount.ts';
import { countPeople, findCareers } from '#server/domain/careers/career-list.ts';
import { findEmployer, suggestEmployers } from '#server/domain/careers/employers.ts';
import { type City, findArea, suggestCities } from '#server/domain/careers/places.ts';
import type { Context } from '#server/domain/context.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import { countCareers } from './overview.ts';

const maxSuggestions = 8;

export function careerRoutes(app: FastifyInstance, context: Context): void {
  const { readReplica, browsingLimiter, institution } = context;
  const countRequest = (exchange: Exchange) => browsingLimiter.count('pages', exchange);

  mount(app, 'GET /api/careers', async ({ query: { after, ...filters } }, exchange) => {
    const { id: viewerId } = exchange.session.account;
    await countRequest(exchange);
    return readReplica(async (db) => {
      const employer = filters.employer === undefined ? null : await findEmployer(db, filters.employer);
      const merged = employer ? { ...filters, employer: employer.key } : filters;
      const list = { db, viewerId, schoolLabel: institution.abbreviation };
      const [page, counts] = await Promise.all([
        findCareers(list, merged, cardsPerPage, after),
        after === undefined ? countPeople(list, merged) : { count: null, isAtLeast: false },
      ]);
      return { ...page, ...counts, employer };
    });
  });
  mountCached(
    app,
    context,
    'GET /api/careers/overview',
    async ({ query }, audience) => {
      // The counts of a department and of its classes, subtracted, would reveal small numbers.
      if (audience !== 'members' && Object.values(query).some((value) => value !== undefined))
        throw new ProblemError('permission-denied');
      return readReplica((db) => countCareers(db, audience, query));
    },
    { countRequest },
  );
  mount(app, 'GET /api/employers', async ({ query: { q } }, exchange) => {
    await countRequest(exchange);
    return { employers: await readReplica((db) => suggestEmployers(db, q, maxSuggestions)) };
  });
  mount(app, 'GET /api/places', async ({ query: { q, country } }, exchange) => {
    await countRequest(exchange);
    const toArea = ({ id, areaId }: City) => (areaId === id ? null : (findArea(areaId)?.name ?? null));
    return { cities: suggestCities(q, country).map((city) => ({ ...city, name: city.label, area: toArea(city) })) };
  });
}
