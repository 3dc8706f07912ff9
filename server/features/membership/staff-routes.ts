import type { FastifyInstance } from 'fastify';
import type { Context } from '../../domain/context.ts';
import { requireStaff, requireStaffOfAny } from '../../domain/staff/guard.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { countStaffAct } from '../../domain/staff/act-limits.ts';
import { findHistory, reopenClaim } from './staff-history.ts';
import { findStaffChange, findStaffClaim, findStaffDispute } from './staff-details.ts';

/** Adds the routes with the details of claims, changes and disputes in the review queue. */
export function staffClaimRoutes(app: FastifyInstance, context: Context): void {
  const { db, authentication, institution } = context;
  const requireReader = async ({ request, reply }: Exchange) => {
    const { scopes } = await requireStaff(db, await authentication.authenticate(request, reply), 'claims');
    return { institution, scopes };
  };
  mount(app, 'GET /api/staff/claims/{id}', async ({ params: { id } }, exchange) =>
    requireFound(await findStaffClaim(db, await requireReader(exchange), id)),
  );
  mount(app, 'GET /api/staff/people/{id}/membership-history', async ({ params: { id } }, { request, reply }) => {
    const { scopesOf } = await requireStaffOfAny(db, await authentication.authenticate(request, reply), [
      'claims',
      'reports',
    ]);
    const scopes = { claimScopes: scopesOf.get('claims') ?? [], reportScopes: scopesOf.get('reports') ?? [] };
    return { events: requireFound(await findHistory(context, scopes, id)) };
  });
  mount(app, 'POST /api/staff/claims/{id}/reopen', async ({ params, body: { reason } }, { request, reply }) => {
    const staff = await requireStaff(db, await authentication.authenticate(request, reply), 'claims');
    await countStaffAct(context, staff);
    return { id: await db.transaction().execute((tx) => reopenClaim(tx, staff, params.id, reason)) };
  });
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
