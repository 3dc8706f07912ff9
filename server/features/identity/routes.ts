import type { FastifyInstance, FastifyRequest } from 'fastify';
import { canonicalizeEmail } from '#contract/fields.ts';
import type { ProblemCode } from '#contract/problem.ts';
import { resendCooldownSeconds } from '#contract/durations.ts';
import type { Context } from '#server/domain/context.ts';
import { findMailFailure } from '#server/domain/mail/mail-failures.ts';
import { endSession, endSessions } from '#server/domain/accounts/sessions.ts';
import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import { createCampusCookie } from '#server/domain/campus-arrival.ts';
import { mount } from '#server/domain/api/mount.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { checkCode } from './action-codes/action-codes.ts';
import { applyCode } from './action-codes/apply-code.ts';
import { campusRoutes } from './campus/routes.ts';
import { changeEmail, convertTakenAddress } from './account/change-email.ts';
import { deleteAccount } from './account/delete-account.ts';
import { findDevices } from './sessions/devices.ts';
import { verificationMailJob } from './jobs.ts';
import { getPasswordPolicy, checkPassword } from './account/password-policy.ts';
import { changePassword, confirmReset, reauthenticate, requestReset } from './account/change-password.ts';
import { secondFactorRoutes } from './second-factor/routes.ts';
import { signIn } from './sessions/sign-in.ts';
import { createSignInCounter } from './sessions/sign-in-metrics.ts';
import { tokenRoutes } from './sessions/site-token.ts';
import { countSignUpMail } from './account/sign-up-mails.ts';
import { signUp } from './account/sign-up.ts';
import { staffAccountRoutes } from './account/staff-routes.ts';
import { acceptTerms, findAcceptedTerms } from './account/terms.ts';

const refusedCodes: ReadonlySet<ProblemCode> = new Set(['auth/invalid-action-code', 'auth/expired-action-code']);

export function identityRoutes(app: FastifyInstance, context: Context): void {
  const { db, limiter, authentication } = context;
  const countSignIn = createSignInCounter(context.metrics);
  tokenRoutes(app, context);
  secondFactorRoutes(app, context);
  staffAccountRoutes(app, context);
  campusRoutes(app, context);

  mount(app, 'POST /api/identity/sign-up', async ({ body }, exchange) => ({
    user: await signUp(context, body, exchange),
  }));
  mount(app, 'POST /api/identity/sign-in', async ({ body }, exchange) => ({
    user: await countSignIn('password', signIn(context, body, exchange)),
  }));
  mount(app, 'POST /api/identity/sign-out', async (_, exchange) => {
    const { reply } = exchange;
    const principal = await authentication.authenticate(exchange);
    if (principal) await endSession(db, principal.account.id, principal.id);
    authentication.cookie.clear(reply);
    // The next user of the browser must not see the name and address from the university.
    if (context.config.campus) createCampusCookie(context.config).clear(reply);
  });
  mount(app, 'GET /api/identity/session', async (_, exchange) => ({
    user: (await authentication.authenticate(exchange))?.user ?? null,
  }));

  mount(app, 'GET /api/identity/verification', async (_, { session: { account } }) => {
    const [retryAfter, undelivered] = await Promise.all([
      limiter.secondsUntilAllowed(db, 'verificationMailByAccount', account.id),
      findMailFailure(db, account.id),
    ]);
    return { retryAfter, undelivered };
  });
  mount(app, 'POST /api/identity/verification', async (_, { session: { account }, request }) => {
    if (account.emailVerified && (await findMailFailure(db, account.id))?.email !== account.email)
      return { retryAfter: 0 };
    await db.transaction().execute(async (tx) => {
      await countSignUpMail(limiter, tx, networksOf(request.ip));
      await limiter.requireAttempt(tx, 'verificationMailByAccount', account.id);
      await limiter.requireAttempt(tx, 'verificationMailByRecipient', account.email);
      await verificationMailJob.queue(tx, { accountId: account.id, email: account.email });
    });
    return { retryAfter: resendCooldownSeconds };
  });

  /** Counts refused codes only: a valid link works even if others behind the same IP address tried invalid ones. */
  const countRefusedCodes = async <Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> => {
    const networks = networksOf(request.ip);
    return work().catch(async (error: unknown) => {
      if (error instanceof ProblemError && refusedCodes.has(error.code))
        await limiter.requireAttempt(db, 'codesByAddress', networks);
      throw error;
    });
  };
  mount(app, 'POST /api/identity/action-code/check', async ({ body }, exchange) => {
    const { mode, email, accountId } = await countRefusedCodes(exchange.request, () => checkCode(db, body.code));
    const principal = await authentication.authenticate(exchange);
    return { mode, email, isOwn: principal?.account.id === accountId };
  });
  mount(app, 'POST /api/identity/action-code/apply', async ({ body }, { request }) =>
    countRefusedCodes(request, async () => {
      const action = await db
        .transaction()
        .execute((tx) => applyCode(limiter, tx, body.code))
        .catch(convertTakenAddress);
      // The recovery may have cancelled a deletion, so the person is listed again.
      if (action.mode === 'recoverEmail') context.listCache.clear();
      return action;
    }),
  );

  mount(app, 'POST /api/identity/password-reset', async ({ body }, { request }) =>
    requestReset(context, body.email, request.ip),
  );
  mount(app, 'POST /api/identity/password-reset/confirm', async ({ body }, exchange) => {
    const { request } = exchange;
    await countRefusedCodes(request, () => confirmReset(context, body, exchange));
    recordAuditEvent(request.log, 'password reset');
  });

  mount(app, 'POST /api/identity/reauthenticate', async ({ body }, { session }) =>
    reauthenticate(context, session, body.password),
  );
  mount(app, 'POST /api/identity/email', async ({ body }, { session, request }) => {
    const changed = await changeEmail(context, session, body.email, networksOf(request.ip));
    recordAuditEvent(request.log, 'address change requested');
    return changed;
  });
  mount(app, 'POST /api/identity/password', async ({ body }, { session, ...exchange }) => {
    await changePassword(context, session, body.password, exchange);
    recordAuditEvent(exchange.request.log, 'password changed');
  });

  mount(app, 'GET /api/identity/password-policy', async () => getPasswordPolicy(context.config));
  mount(app, 'POST /api/identity/password-status', async ({ body }, { request }) => {
    await limiter.requireAttempt(db, 'passwordStatusByAddress', networksOf(request.ip));
    return checkPassword(context.config, body.password, canonicalizeEmail(body.email ?? ''));
  });

  mount(app, 'GET /api/identity/sessions', async (_, { session }) => ({ sessions: await findDevices(db, session) }));
  mount(app, 'DELETE /api/identity/sessions/{id}', async ({ params }, { session }) => {
    if (!(await endSession(db, session.account.id, params.id))) throw new ProblemError('not-found');
  });
  mount(app, 'DELETE /api/identity/sessions', async (_, { session: { id, account } }) => {
    await endSessions(db, account.id, id);
  });

  mount(app, 'GET /api/identity/terms', async (_, { session }) => findAcceptedTerms(db, session.account.id));
  mount(app, 'POST /api/identity/terms', async ({ body }, { session }) =>
    acceptTerms(db, session.account.id, body.terms),
  );

  mount(app, 'DELETE /api/identity/account', async (_, { session, request, reply }) => {
    const deletesAt = await deleteAccount(context, session, request.log);
    authentication.cookie.clear(reply);
    return { deletesAt };
  });
}
