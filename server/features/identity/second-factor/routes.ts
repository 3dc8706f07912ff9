import type { FastifyInstance } from 'fastify';
import { secondFactorTtlSeconds } from '#contract/durations.ts';
import type { Context } from '#server/domain/context.ts';
import { lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import { createCookie } from '#server/platform/http/cookies.ts';
import { mount } from '#server/domain/api/mount.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { createSecretBox } from '#server/platform/crypto/secret-box.ts';
import { newToken } from '#server/platform/crypto/tokens.ts';
import { beginAuthenticator, confirmAuthenticator, removeAuthenticator } from './authenticator.ts';
import { completeSignIn, requirePendingSignIn, signInWithPasskey } from '../sessions/complete-sign-in.ts';
import { addPasskey, createRegistrationOptions, createAuthenticationOptions, removePasskey } from './passkeys.ts';
import { createSignInCounter } from '../sessions/sign-in-metrics.ts';
import { findSecondFactor, hasSecondFactor, createRecoveryCodes, queueFactorMail } from './second-factor.ts';

export function secondFactorRoutes(app: FastifyInstance, context: Context): void {
  const { config, db, limiter } = context;
  const countSignIn = createSignInCounter(context.metrics);
  const box = createSecretBox(config.dataDir);
  /** Cookie that binds a passkey challenge to one browser. A response from another browser is refused. */
  const browser = createCookie('passkey', secondFactorTtlSeconds, config.http.publicUrl);

  mount(app, 'GET /api/identity/sign-in/second-factor', async (_, exchange) => {
    const { account } = await requirePendingSignIn(context, exchange);
    const { authenticator, passkeys, recoveryCodes } = await findSecondFactor(db, account.id);
    return {
      authenticator: authenticator !== null,
      passkey: passkeys.length > 0,
      recoveryCode: recoveryCodes > 0,
      ...(account.isByCampus && { isByCampus: true as const }),
    };
  });
  mount(app, 'POST /api/identity/sign-in/second-factor/options', async (_, exchange) => {
    const { account, token } = await requirePendingSignIn(context, exchange);
    return createAuthenticationOptions(context, { purpose: 'second-factor', boundTo: token }, account.id);
  });
  mount(app, 'POST /api/identity/sign-in/second-factor', async ({ body }, exchange) => ({
    user: await countSignIn('second-factor', completeSignIn(context, box, body, exchange)),
  }));
  mount(app, 'POST /api/identity/sign-in/passkey/options', async (_, { request, reply }) => {
    await limiter.requireAttempt(db, 'passkeyByAddress', networksOf(request.ip));
    const { token } = newToken();
    browser.write(reply, token);
    return createAuthenticationOptions(context, { purpose: 'sign-in', boundTo: token }, null);
  });
  mount(app, 'POST /api/identity/sign-in/passkey', async ({ body }, exchange) => {
    const { request, reply } = exchange;
    await limiter.requireAttempt(db, 'passkeyByAddress', networksOf(request.ip));
    const boundTo = browser.read(request);
    if (!boundTo) throw new ProblemError('auth/invalid-passkey');
    browser.clear(reply);
    const signingIn = signInWithPasskey(context, body.passkey, boundTo, exchange);
    return { user: await countSignIn('passkey', signingIn) };
  });

  mount(app, 'GET /api/identity/second-factor', async (_, { session }) => findSecondFactor(db, session.account.id));
  mount(app, 'POST /api/identity/authenticator', async (_, { session }) => beginAuthenticator(context, box, session));
  mount(app, 'POST /api/identity/authenticator/confirm', async ({ body }, { session }) => ({
    recoveryCodes: await confirmAuthenticator(context, box, session, body.code),
  }));
  mount(app, 'DELETE /api/identity/authenticator', async (_, { session }) => removeAuthenticator(context, session));
  mount(app, 'POST /api/identity/recovery-codes', async (_, { session }) => {
    await limiter.requireAttempt(db, 'setUpFactorByAccount', session.account.id);
    const recoveryCodes = await db.transaction().execute(async (tx) => {
      const account = await lockAccountOfSession(tx, session);
      if (!(await hasSecondFactor(tx, account.id))) throw new ProblemError('not-found');
      await queueFactorMail(tx, account, 'recovery-codes-renewed');
      return createRecoveryCodes(tx, account.id);
    });
    return { recoveryCodes };
  });
  mount(app, 'POST /api/identity/passkeys/options', async (_, { session }) =>
    createRegistrationOptions(context, session),
  );
  mount(app, 'POST /api/identity/passkeys', async ({ body }, { session }) => ({
    recoveryCodes: await addPasskey(context, session, body.name, body.passkey),
  }));
  mount(app, 'DELETE /api/identity/passkeys/{id}', async ({ params }, { session }) =>
    removePasskey(context, session, params.id),
  );
}
