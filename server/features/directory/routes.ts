import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { factsOf } from '#contract/institution.ts';
import { isMemberCaller } from '../../domain/callers.ts';
import type { Context } from '../../domain/context.ts';
import { listFor, toCard } from '../../domain/visibility.ts';
import { mount, mountShared } from '../../platform/http.ts';
import { countPeople, findFacets, findNewest, findPage, findYears } from './queries.ts';

/** How many of the newest members the welcome page shows. */
const newestShown = 6;

/** The lists of people: a page of cards, counts, and what can be filtered by. */
export function directoryRoutes(app: FastifyInstance, { reading, callers, institution, guestAnswers }: Context): void {
  // Every guest sees the same lists.
  const shared = { answers: guestAnswers, isShared: (request: FastifyRequest) => callers.isSurelyGuest(request) };
  const listOf = async (request: FastifyRequest, reply: FastifyReply) =>
    listFor(isMemberCaller(await callers.find(request, reply)));

  mountShared(app, 'GET /api/users', shared, async ({ query: { after, limit, ...filters } }, { request, reply }) => {
    const audience = await listOf(request, reply);
    const { rows, next } = await reading((db) => findPage(db, audience, filters, after, limit));
    return { items: rows.map((row) => toCard(row, institution.abbreviation)), next };
  });
  mountShared(app, 'GET /api/users/newest', shared, async (_, { request, reply }) => {
    const audience = await listOf(request, reply);
    const rows = await reading((db) => findNewest(db, audience, newestShown));
    return { items: rows.map((row) => toCard(row, institution.abbreviation)) };
  });
  mountShared(app, 'GET /api/users/count', shared, async ({ query }, { request, reply }) => {
    const audience = await listOf(request, reply);
    return { count: await reading((db) => countPeople(db, audience, query)) };
  });
  mountShared(app, 'GET /api/users/facets', shared, async ({ query }, { request, reply }) => {
    const audience = await listOf(request, reply);
    return reading((db) => findFacets(db, audience, query));
  });
  mountShared(app, 'GET /api/users/years', shared, async ({ query }, { request, reply }) => {
    const audience = await listOf(request, reply);
    return { years: await reading((db) => findYears(db, audience, query)) };
  });
  mount(app, 'GET /api/institution', async () => factsOf(institution, new Date()));
}
