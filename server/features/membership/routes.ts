import type { FastifyInstance } from 'fastify';
import { requireVerified } from '../../domain/authentication.ts';
import type { Context } from '../../domain/context.ts';
import { requiresConfirmation } from '../../domain/membership.ts';
import type { Session } from '../../domain/sessions.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { findMembership } from './queries.ts';
import { vouchRoutes } from './vouching.ts';

/** Adds the routes for confirmed membership. */
export function membershipRoutes(app: FastifyInstance, context: Context): void {
  const { db, institution } = context;
  mount(app, 'GET /api/membership', async (_, exchange) =>
    findMembership(db, institution, await requireVerifiedInMode(context, exchange)),
  );
  vouchRoutes(app, context);
}

/**
 * Requires a verified address in an archive that requires confirmation.
 * @throws ProblemError not-found in the mode `open`, auth/unauthenticated, auth/unverified-email
 */
export async function requireVerifiedInMode(
  { db, authentication }: Pick<Context, 'db' | 'authentication'>,
  { request, reply }: Exchange,
): Promise<Session> {
  if (!(await requiresConfirmation(db))) throw new ProblemError('not-found');
  return requireVerified(await authentication.authenticate(request, reply));
}
