import type { FastifyInstance } from 'fastify';
import { requireRecentSignIn, requireVerified } from '../../domain/authentication.ts';
import { closeClaim, recordAttempt, toTypedClaim } from '../../domain/claims.ts';
import { withdrawEvidence } from '../../domain/confirmations.ts';
import type { Context } from '../../domain/context.ts';
import { requiresConfirmation } from '../../domain/membership.ts';
import { toMatricKey } from '../../domain/roster/matric-key.ts';
import { type Session, lockAccountOfSession } from '../../domain/sessions.ts';
import { endVouches } from '../../domain/vouch-rules.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { networksOf } from '../../platform/limits/networks.ts';
import { submitClaim } from './claims.ts';
import { reportNotice, submitCode } from './codes.ts';
import { mailedCodeJob } from './jobs.ts';
import { findMembership } from './queries.ts';
import { vouchRoutes } from './vouching.ts';

/** Adds the routes for confirmed membership. */
export function membershipRoutes(app: FastifyInstance, context: Context): void {
  const { db, institution, limiter } = context;
  /** Counts a claim, or a request for a mailed code: each is a guess of a birth date. */
  const countClaim = async ({ account: { id } }: Session, { request: { ip } }: Exchange) => {
    await limiter.requireAttempt(db, 'claimsByAccount', id);
    await limiter.requireAttempt(db, 'claimsByAddress', networksOf(ip));
  };

  mount(app, 'GET /api/membership', async (_, exchange) =>
    findMembership(db, institution, await requireVerifiedInMode(context, exchange)),
  );
  mount(app, 'POST /api/membership/claims', async ({ body }, exchange) => {
    const session = await requireClaimant(context, exchange);
    await countClaim(session, exchange);
    return submitClaim(context, session, body);
  });
  mount(app, 'DELETE /api/membership/claims', async (_, exchange) => {
    const session = await requireClaimant(context, exchange);
    await db.transaction().execute(async (tx) => {
      const { id } = await lockAccountOfSession(tx, session);
      await closeClaim(tx, id, 'withdrawn');
      await endVouches(tx, id);
    });
  });
  mount(app, 'POST /api/membership/codes', async ({ body: { code } }, exchange) => {
    const session = await requireClaimant(context, exchange);
    await limiter.requireAttempt(db, 'membershipCodesByAccount', session.account.id);
    await limiter.requireAttempt(db, 'membershipCodesByAddress', networksOf(exchange.request.ip));
    return submitCode(context, session, code);
  });
  mount(app, 'POST /api/membership/mailed-codes', async ({ body: { matricNumber, dob } }, exchange) => {
    const session = await requireClaimant(context, exchange);
    await countClaim(session, exchange);
    const key = toMatricKey(matricNumber);
    const isRepeated = (await limiter.countAttempt(db, 'mailedCodesByMatricNumberAndDate', key, dob)) > 0;
    if (!isRepeated) await limiter.requireAttempt(db, 'mailedCodeDatesByMatricNumber', key);
    await recordAttempt(
      db,
      session.account.id,
      'mailed-code',
      await toTypedClaim(db, session.account.id, { matricNumber, dob, note: '' }),
    );
    if (institution.acceptedEvidence.includes('roster-email'))
      await mailedCodeJob.queue(db, { accountId: session.account.id, matricNumber, dob });
  });
  mount(app, 'DELETE /api/membership/evidence', async (_, exchange) => {
    const session = requireRecentSignIn(await requireClaimant(context, exchange));
    await db.transaction().execute(async (tx) => {
      await lockAccountOfSession(tx, session);
      await withdrawEvidence(tx, session.account.id, 'all');
      await closeClaim(tx, session.account.id, 'withdrawn');
    });
  });
  mount(app, 'POST /api/membership/disputes', async ({ body: { code, text = '' } }, { request: { ip } }) => {
    await requireMode(context);
    if (await reportNotice(context, code, text)) return;
    // Only wrong codes count, so a valid link works even if others on the same network have tried many wrong codes.
    await limiter.requireAttempt(db, 'codesByAddress', networksOf(ip));
    throw new ProblemError('not-found');
  });
  vouchRoutes(app, context);
}

/** Requires the mode `confirmed`. @throws ProblemError not-found */
async function requireMode({ db }: Pick<Context, 'db'>): Promise<void> {
  if (!(await requiresConfirmation(db))) throw new ProblemError('not-found');
}

/**
 * Requires a verified address in an archive that requires confirmation.
 * @throws ProblemError not-found in the mode `open`, auth/unauthenticated, auth/unverified-email
 */
export async function requireVerifiedInMode(
  { db, authentication }: Pick<Context, 'db' | 'authentication'>,
  { request, reply }: Exchange,
): Promise<Session> {
  await requireMode({ db });
  return requireVerified(await authentication.authenticate(request, reply));
}

/**
 * Requires a profile too: claims take names and class from it.
 * @throws ProblemError not-found, auth/unauthenticated, auth/unverified-email, permission-denied
 */
async function requireClaimant(context: Pick<Context, 'db' | 'authentication'>, exchange: Exchange): Promise<Session> {
  const session = await requireVerifiedInMode(context, exchange);
  if (session.account.displayName === null)
    throw new ProblemError('permission-denied', { detail: 'Complete your profile first.' });
  return session;
}
