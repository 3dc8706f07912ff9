import type { FastifyInstance } from 'fastify';
import type { Context } from '../../domain/context.ts';
import { requireStaff } from '../../domain/staff/guard.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { findStaffChange, findStaffClaim, findStaffDispute } from './staff-details.ts';

/** Adds the routes with the details of claims, changes and disputes in the review queue. */
export function staffClaimRoutes(app: FastifyInstance, { db, authentication, institution }: Context): void {
  const requireReader = async ({ request, reply }: Exchange) => {
    const { scopes } = await requireStaff(db, await authentication.authenticate(request, reply), 'claims');
    return { institution, scopes };
  };
  mount(app, 'GET /api/staff/claims/{id}', async ({ params: { id } }, exchange) =>
    requireFound(await findStaffClaim(db, await requireReader(exchange), id)),
  );
  mount(app, 'GET /api/staff/changes/{id}', async ({ params: { id } }, exchange) =>
    requireFound(await findStaffChange(db, await requireReader(exchange), id)),
  );
  mount(app, 'GET /api/staff/disputes/{id}', async ({ params: { id } }, exchange) =>
    requireFound(await findStaffDispute(db, await requireReader(exchange), id)),
  );
}

function requireFound<Item>(item: Item | null): Item {
  if (item === null) throw new ProblemError('not-found');
  return item;
}
