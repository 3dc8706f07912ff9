import type { FastifyInstance } from 'fastify';
import { isMemberCaller } from '../../domain/callers.ts';
import type { Context } from '../../domain/context.ts';
import { listFor, toCard } from '../../domain/visibility.ts';
import { mount } from '../../platform/http.ts';
import { findPeople } from './queries.ts';

/** How many results one page shows. */
const shown = 48;

export function searchRoutes(app: FastifyInstance, { db, callers, institution }: Context): void {
  mount(app, 'GET /api/search', async ({ query }, { request, reply }) => {
    const rows = await findPeople(db, listFor(isMemberCaller(await callers.find(request, reply))), query.q);
    return {
      items: rows.slice(0, shown).map((row) => toCard(row, institution.abbreviation)),
      more: rows.length > shown,
    };
  });
}
