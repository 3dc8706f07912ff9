import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createCampusCookie, findCampus } from '#server/domain/campus-arrival.ts';
import { closeClaim, recordAttempt, toTypedClaim } from '#server/domain/membership/claims.ts';
import { withdrawEvidence } from '#server/domain/membership/confirmations.ts';
import type { Context } from '#server/domain/context.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { type Session, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import { findStaffWithRight } from '#server/domain/staff/guard.ts';
import { endVouches } from '#server/domain/membership/vouch-rules.ts';
import { mount } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { submitCampusClaim } from './campus-evidence.ts';
import { submitClaim } from './claims.ts';
import { reportNotice, submitCode } from './codes.ts';
import { mailedCodeJob, refusedRequestsMailJob } from './jobs.ts';
import { findMembership } from './queries.ts';
import { answerQuestion } from './questions.ts';
import { vouchRoutes } from './vouching.ts';

export function membershipRoutes(app: FastifyInstance, context: Context): void {
  const { db, institution, limiter } = context;
  /** Counts a claim, or a request for a mailed code: each is a guess of a birth date. */
  const countClaim = async ({ account: { id } }: Session, { ip }: FastifyRequest) => {
    await limiter.requireAttempt(db, 'claimsByAccount', id);
    await limiter.requireAttempt(db, 'claimsByAddress', networksOf(ip));
  };

  mount(app, 'GET /api/membership', async (_, { session }) => findMembership(db, institution, session));
  mount(app, 'POST /api/membership/claims', async ({ body }, { session, request }) => {
    await countClaim(session, request);
    return submitClaim(context, session, body);
  });
  mount(app, 'DELETE /api/membership/claims', async (_, { session }) => {
    await db.transaction().execute(async (tx) => {
      const { id } = await lockAccountOfSession(tx, session);
      await closeClaim(tx, id, 'withdrawn');
      await endVouches(tx, id);
    });
  });
  mount(app, 'POST /api/membership/answers', async ({ body }, { session }) => answerQuestion(context, session, body));
  mount(app, 'POST /api/membership/codes', async ({ body: { code } }, { session, request }) => {
    await limiter.requireAttempt(db, 'membershipCodesByAccount', session.account.id);
    try {
      return await submitCode(context, session, code);
    } catch (error) {
      // Only wrong codes count, so a valid code works even if others on the same network have tried many wrong codes.
      if (error instanceof ProblemError && error.code === 'membership/wrong-code')
        await limiter.requireAttempt(db, 'membershipCodesByAddress', networksOf(request.ip));
      throw error;
    }
  });
  mount(app, 'POST /api/membership/mailed-codes', async ({ body: { matricNumber, dob } }, { session, request }) => {
    await countClaim(session, request);
    await limiter.requireAttempt(db, 'mailedCodesByAccount', session.account.id);
    await countCodeRequest(context, matricNumber);
    await recordAttempt(
      db,
      session.account.id,
      'mailed-code',
      await toTypedClaim(db, session.account.id, { matricNumber, dob, note: '' }),
    );
    if (institution.acceptedEvidence.includes('roster-email'))
      await mailedCodeJob.queue(db, { accountId: session.account.id, matricNumber, dob });
  });
  mount(app, 'DELETE /api/membership/evidence', async (_, { session }) => {
    await db.transaction().execute(async (tx) => {
      await lockAccountOfSession(tx, session);
      await withdrawEvidence(tx, session.account.id, 'all');
      await closeClaim(tx, session.account.id, 'withdrawn');
    });
  });
  mount(app, 'POST /api/membership/disputes', async ({ body: { code, text = '' } }, { request: { ip } }) => {
    if (await reportNotice(context, code, text)) return;
    // Only wrong codes count, so a valid link works even if others on the same network have tried many wrong codes.
    await limiter.requireAttempt(db, 'codesByAddress', networksOf(ip));
    throw new ProblemError('not-found');
  });
  vouchRoutes(app, context);
  const campus = findCampus(context);
  if (!campus) return;
  const cookie = createCampusCookie(context.config);
  mount(app, 'POST /api/membership/campus', async (_, { session, request }) => {
    const identity = await cookie.requireIdentity(request);
    await countClaim(session, request);
    return submitCampusClaim(context, campus, session, identity);
  });
}

/**
 * Counts a request for a mailed code for a matric number, whether or not the roster has it. Mails staff once about a
 * number for which several requests were refused: someone may be guessing, or the person may need a printed code.
 * @throws ProblemError auth/too-many-requests
 */
async function countCodeRequest({ db, limiter }: Pick<Context, 'db' | 'limiter'>, matricNumber: string): Promise<void> {
  const key = toMatricKey(matricNumber);
  const retryAfter = await limiter.countAttempt(db, 'mailedCodesByMatricNumber', key);
  if (retryAfter === 0) return;
  if (
    (await limiter.countAttempt(db, 'refusedCodesByMatricNumber', key)) > 0 &&
    (await limiter.countAttempt(db, 'refusalNoticesByMatricNumber', key)) === 0
  )
    for (const accountId of await findStaffWithRight(db, 'claims'))
      await refusedRequestsMailJob.queue(db, { accountId, matricNumber });
  throw new ProblemError('auth/too-many-requests', { retryAfter, limit: 'mailedCodesByMatricNumber' });
}
