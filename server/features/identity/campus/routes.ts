import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CampusArrival } from '#contract/campus.ts';
import type { ProblemCode } from '#contract/problem.ts';
import { isAddressTaken } from '#server/domain/accounts/accounts.ts';
import type { Principal } from '#server/domain/accounts/authentication.ts';
import { lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import {
  type FailedArrival,
  type CampusIdentity,
  createCampusCookie,
  findCampus,
  findConnection,
} from '#server/domain/campus-arrival.ts';
import { mount } from '#server/domain/api/mount.ts';
import type { Context } from '#server/domain/context.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { createSignInCounter } from '../sessions/sign-in-metrics.ts';
import { connect, signInWithCampus, signUpWithCampus } from './accounts.ts';
import { CampusError, readIdentity } from './claims.ts';
import { disconnect, findOwner } from './identities.ts';
import { toAddressEnd } from './address-end-notices.ts';
import { createProvider } from './provider.ts';

const maxFromLength = 500;

/** Adds the routes of campus sign-on. Without its settings, adds none. */
export function campusRoutes(app: FastifyInstance, context: Context): void {
  const campus = findCampus(context);
  if (!campus) return;
  const { authentication, config, db, institution, limiter } = context;
  const cookie = createCampusCookie(config);
  const provider = createProvider(campus, config.http.publicUrl);
  const countSignIn = createSignInCounter(context.metrics);
  const page = {
    schema: { hide: true },
    exposeHeadRoute: false,
    config: { load: 'page' },
    onRequest: async (_: FastifyRequest, reply: FastifyReply) => void reply.header('cache-control', 'no-store'),
  } as const;

  app.get('/auth/campus', page, async (request, reply) => {
    const query = request.query as { from?: unknown; again?: unknown };
    const from = typeof query.from === 'string' ? query.from.slice(0, maxFromLength) : null;
    const { url, ...content } = await provider
      .start(query.again !== undefined)
      .catch((error: unknown) => ({ url: '/campus', ...toFailedArrival(error, request) }));
    await cookie.write(reply, { from, ...content });
    return reply.redirect(url, 303);
  });

  app.get('/auth/campus/callback', page, async (request, reply) => {
    const arrival = await cookie.read(request);
    cookie.clear(reply);
    if (!arrival || !('flow' in arrival)) return reply.redirect('/campus', 303);
    const { from, flow } = arrival;
    try {
      await limiter.requireAttempt(db, 'campusByAddress', networksOf(request.ip));
      const answer = await provider.finish(request.url.split('?')[1] ?? '', flow);
      const { identity, addressError } = readIdentity(campus, answer);
      const owner = await findOwner(db, identity);
      if (owner === null && addressError) throw addressError;
      if (owner !== null && !(await authentication.authenticate({ request, reply }))) {
        const signingIn = signInWithCampus(context, owner, identity, { request, reply });
        const isSignedIn = await countSignIn('campus', signingIn).then(
          () => true,
          (error: unknown) => {
            const code = error instanceof ProblemError && error.code;
            // A pending deletion is not revealed: the page asks for the password.
            if (code === 'auth/invalid-credential') return false;
            if (code === 'auth/multi-factor-required') return true;
            throw error;
          },
        );
        if (isSignedIn)
          return await reply.redirect(`/login${from === null ? '' : `?${new URLSearchParams({ from })}`}`, 303);
      }
      await cookie.write(reply, { from, identity });
    } catch (error) {
      await cookie.write(reply, { from, ...toFailedArrival(error, request) });
    }
    return reply.redirect('/campus', 303);
  });

  async function findNext(identity: CampusIdentity, principal: Principal): Promise<CampusArrival['next']> {
    const { email } = identity;
    const owner = await findOwner(db, identity);
    if (!principal) return owner || email === null || (await isAddressTaken(db, email, null)) ? 'sign-in' : 'sign-up';
    const { account, user } = principal;
    if (owner === account.id) {
      const canConfirm = institution.acceptedEvidence.includes('campus-sign-on') && account.displayName !== null;
      return canConfirm && user.membership?.status === 'unconfirmed' ? 'confirm' : 'done';
    }
    if (owner !== null) return 'other-account';
    return (await findConnection(db, account.id)) ? 'other-identity' : 'connect';
  }

  mount(app, 'GET /api/identity/campus/arrival', async (_, exchange) => {
    const arrival = await cookie.read(exchange.request);
    if (!arrival || 'flow' in arrival) throw new ProblemError('auth/sign-in-expired');
    if (!('identity' in arrival)) return { name: '', affiliation: null, ...arrival };
    const { from, identity } = arrival;
    const { email, firstName, lastName, affiliation } = identity;
    const next = await findNext(identity, await authentication.authenticate(exchange));
    return { next, email, name: `${firstName} ${lastName}`.trim(), affiliation, detail: '', from };
  });
  mount(app, 'POST /api/identity/campus/sign-up', async ({ body }, exchange) => ({
    user: await signUpWithCampus(context, body, await cookie.requireIdentity(exchange.request), exchange),
  }));
  mount(app, 'GET /api/identity/campus', async (_, { session: { account, user } }) => ({
    connection: await findConnection(db, account.id),
    addressEndsOn: toAddressEnd(campus, account.email, user.yearGraduated),
  }));
  mount(app, 'POST /api/identity/campus', async (_, { session, request }) =>
    connect(context, session, await cookie.requireIdentity(request)),
  );
  mount(app, 'DELETE /api/identity/campus', async (_, { session }) =>
    db.transaction().execute(async (tx) => disconnect(tx, await lockAccountOfSession(tx, session))),
  );
}

const shownProblems: ReadonlySet<ProblemCode> = new Set(['auth/user-disabled', 'auth/too-many-requests']);

/** Logs the outcome only: errors of the provider contain codes, tokens and names. @throws unexpected errors */
function toFailedArrival(error: unknown, { id, log }: FastifyRequest): FailedArrival {
  if (error instanceof ProblemError && shownProblems.has(error.code))
    return { next: 'problem', email: null, detail: '', problem: error.body };
  if (!(error instanceof CampusError)) throw error;
  const { failure, email, message: outcome } = error;
  if (outcome === 'invalid_client') log.error({ outcome }, 'Renew CAMPUS_CLIENT_SECRET');
  else log[failure === 'refused' || failure === 'unavailable' ? 'warn' : 'info']({ outcome }, 'Campus sign-on failed');
  return { next: failure, email, detail: failure === 'refused' ? id : '' };
}
