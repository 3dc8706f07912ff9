import type * as z from 'zod/mini';
import type { FastifyInstance } from 'fastify';
import type { StaffAccount } from '#contract/staff-claims.ts';
import type { Context } from '../../domain/context.ts';
import { recordStaffRead } from '../../domain/staff/audit-log.ts';
import { requireStaff, requireStaffOfAny } from '../../domain/staff/guard.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { findHistory } from './staff-history.ts';
import { findStaffChange, findStaffClaim, findStaffDispute } from './staff-details.ts';

/** Adds the routes with the details of claims, changes and disputes in the review queue. */
export function staffClaimRoutes(app: FastifyInstance, context: Context): void {
  const { db, authentication, institution } = context;
  const requireReader = async ({ request, reply }: Exchange) => {
    const { accountId, scopes } = await requireStaff(db, await authentication.authenticate(request, reply), 'claims');
    return { actor: accountId, institution, scopes };
  };
  mount(app, 'GET /api/staff/claims/{id}', async ({ params: { id } }, exchange) => {
    const { actor, ...reader } = await requireReader(exchange);
    const claim = requireFound(await findStaffClaim(db, reader, id));
    requireOthers(actor, claim.account);
    await recordStaffRead(db, { actor, action: 'claim-read', subject: { kind: 'claim', id } });
    return claim;
  });
  mount(app, 'GET /api/staff/people/{id}/membership-history', async ({ params: { id } }, { request, reply }) => {
    const { accountId, scopesOf } = await requireStaffOfAny(db, await authentication.authenticate(request, reply), [
      'claims',
      'reports',
    ]);
    const scopes = { claimScopes: scopesOf.get('claims') ?? [], reportScopes: scopesOf.get('reports') ?? [] };
    const events = requireFound(await findHistory(context, { accountId, ...scopes }, id));
    await recordStaffRead(db, { actor: accountId, action: 'person-file-read', subject: { kind: 'account', id } });
    return { events };
  });
  mount(app, 'GET /api/staff/changes/{id}', async ({ params: { id } }, exchange) => {
    const { actor, ...reader } = await requireReader(exchange);
    const change = requireFound(await findStaffChange(db, reader, id));
    requireOthers(actor, change.account);
    await recordStaffRead(db, { actor, action: 'change-read', subject: { kind: 'change', id } });
    return change;
  });
  mount(app, 'GET /api/staff/disputes/{id}', async ({ params: { id } }, exchange) => {
    const { actor, ...reader } = await requireReader(exchange);
    const dispute = requireFound(await findStaffDispute(db, reader, id));
    requireOthers(actor, dispute.holder.account, dispute.claimant?.account);
    await recordStaffRead(db, { actor, action: 'dispute-read', subject: { kind: 'dispute', id } });
    return dispute;
  });
}

function requireFound<Item>(item: Item | null): Item {
  if (item === null) throw new ProblemError('not-found');
  return item;
}

/**
 * Requires that an item is about other people: staff would read what others claim or answer about them, and how guesses compare with the roster.
 * @throws ProblemError permission-denied
 */
function requireOthers(actor: string, ...accounts: readonly (z.input<typeof StaffAccount> | undefined)[]): void {
  if (accounts.some((account) => account?.id === actor))
    throw new ProblemError('permission-denied', {
      detail: 'This item is about you. Another member of staff must decide it.',
    });
}
