import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../db/client.ts';
import { type Cookie, createCookie } from '../platform/http/cookies.ts';
import { ProblemError } from '../platform/http/problem.ts';
import { isMember } from './accounts.ts';
import { type Session, findSession, hasExpiredSession, renewSession, sessionTtlDays } from './sessions.ts';

/** Who asks: a session, or null for a guest. */
export type Principal = Session | null;

export interface Authentication {
  /** Who makes this request; looked up once a request. */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Principal>;
  /** Who they are by now, for answers that take long: the session may have ended in the meantime. */
  authenticateAgain(request: FastifyRequest): Promise<Principal>;
  readonly cookie: Cookie;
}

export function createAuthentication(db: Db, publicUrl: string): Authentication {
  const cookie = createCookie('sid', sessionTtlDays * 24 * 60 * 60, publicUrl);
  const known = new WeakMap<FastifyRequest, Promise<Principal>>();

  async function lookUp(request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
    const token = cookie.read(request);
    if (!token) return null;
    const session = await findSession(db, token);
    if (!session) {
      if (!(await hasExpiredSession(db, token))) cookie.clear(reply);
    } else if (session.isDueForRenewal) {
      await renewSession(db, session.id);
      cookie.write(reply, token);
    }
    return session;
  }

  return {
    cookie,
    authenticate: (request, reply) => {
      const principal = known.get(request) ?? lookUp(request, reply);
      known.set(request, principal);
      return principal;
    },
    authenticateAgain: async (request) => {
      const token = cookie.read(request);
      return token ? findSession(db, token) : null;
    },
  };
}

/** @throws ProblemError auth/unauthenticated for a guest */
export function requireSession(principal: Principal): Session {
  if (!principal) throw new ProblemError('auth/unauthenticated');
  return principal;
}

/** @throws ProblemError auth/unauthenticated, auth/unverified-email */
export function requireVerified(principal: Principal): Session {
  const session = requireSession(principal);
  if (!session.account.emailVerified) throw new ProblemError('auth/unverified-email');
  return session;
}

/** Verified and onboarded. @throws ProblemError auth/unauthenticated, auth/unverified-email, permission-denied */
export function requireMember(principal: Principal): Session {
  const session = requireVerified(principal);
  if (!isMember(session.account))
    throw new ProblemError('permission-denied', { detail: 'Complete your profile first.' });
  return session;
}

/** For acts that a stranger at an unlocked phone must not do. @throws ProblemError auth/requires-recent-login */
export function requireRecentSignIn(principal: Principal): Session {
  const session = requireSession(principal);
  if (!session.isRecent) throw new ProblemError('auth/requires-recent-login');
  return session;
}

/** Whether this caller sees what is for members. */
export const isMemberPrincipal = (principal: Principal): boolean => principal !== null && isMember(principal.account);
