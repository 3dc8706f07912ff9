import type { FastifyRequest } from 'fastify';
import { createBatchLoader } from '#server/db/batch.ts';
import type { Db } from '#server/db/client.ts';
import { type Cookie, createCookie } from '#server/platform/http/cookies.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import { type Account, isMember } from './accounts.ts';
import { type Session, findSessions, hasExpiredSession, renewSession, sessionTtlDays } from './sessions.ts';

export type Principal = Session | null;

type SessionOf<Known extends Partial<Account>> = Session & { readonly account: Known };
export type VerifiedSession = SessionOf<{ readonly emailVerified: true }>;
export type OnboardedSession = VerifiedSession & SessionOf<{ readonly displayName: string }>;
export type ConfirmedSession = VerifiedSession & SessionOf<{ readonly awaitsConfirmation: false }>;
export type MemberSession = OnboardedSession & ConfirmedSession;

export interface Authentication {
  authenticate(exchange: Exchange): Promise<Principal>;
  /** Reads the principal again, for long-running responses: the session may have ended in the meantime. */
  authenticateAgain(request: FastifyRequest): Promise<Principal>;
  /** Returns whether the session of a request was found within the last ten minutes. Does not read the database. */
  isKnown(request: FastifyRequest): boolean;
  /**
   * Removes the session cookie of a request if there is no such session, so that the visitor is a guest like others.
   */
  ignoreUnknownSession(request: FastifyRequest): Promise<void>;
  readonly cookie: Cookie;
}

export function createAuthentication(db: Db, publicUrl: string): Authentication {
  const cookie = createCookie('sid', sessionTtlDays * 24 * 60 * 60, publicUrl);
  const known = new WeakMap<FastifyRequest, Promise<Principal>>();
  const loadFromDatabase = createBatchLoader((tokens) => findSessions(db, tokens));
  const found = createExpiringSet(foundMs);
  const missing = createExpiringSet(missingMs);

  async function loadSession(token: string): Promise<Session | undefined> {
    if (missing.has(token)) return undefined;
    const session = await loadFromDatabase(token);
    if (session) found.add(token);
    else {
      found.delete(token);
      // An expired session is valid again after a wrong clock was corrected.
      if (!(await hasExpiredSession(db, token))) missing.add(token);
    }
    return session;
  }

  async function lookUp({ request, reply }: Exchange): Promise<Principal> {
    const token = cookie.read(request);
    if (!token) return null;
    const session = await loadSession(token);
    if (!session) {
      if (missing.has(token)) cookie.clear(reply);
    } else if (session.isDueForRenewal) {
      await renewSession(db, session.id);
      cookie.write(reply, token);
    }
    return session ?? null;
  }

  return {
    cookie,
    isKnown: (request) => {
      const token = cookie.readHeader(request);
      return token !== undefined && found.has(token);
    },
    ignoreUnknownSession: async (request) => {
      const token = cookie.readHeader(request);
      if (token !== undefined && !found.has(token) && !(await loadSession(token))) cookie.removeFromHeader(request);
    },
    authenticate: (exchange) => {
      const principal = known.get(exchange.request) ?? lookUp(exchange);
      known.set(exchange.request, principal);
      return principal;
    },
    authenticateAgain: async (request) => {
      const token = cookie.read(request);
      return token ? ((await loadSession(token)) ?? null) : null;
    },
  };
}

/** Milliseconds for which a session that was found gives priority when the server is overloaded. */
const foundMs = 600_000;

/** Milliseconds for which a token without a session is not looked up again. */
const missingMs = 1_000;

const maxTokens = 20_000;

function createExpiringSet(ttlMs: number) {
  const expiries = new Map<string, number>();
  return {
    has: (token: string) => (expiries.get(token) ?? -Infinity) > performance.now(),
    add: (token: string) => {
      expiries.delete(token);
      expiries.set(token, performance.now() + ttlMs);
      const [oldest] = expiries.keys();
      if (expiries.size > maxTokens && oldest !== undefined) expiries.delete(oldest);
    },
    delete: (token: string) => expiries.delete(token),
  };
}

/*
 * What requires each level of access (`contract/access.ts`). `mount` calls these functions; handlers call them to check
 * again after a wait.
 */

export function requireSession(principal: Principal): Session {
  if (!principal) throw new ProblemError('auth/unauthenticated');
  return principal;
}

export function requireVerified(principal: Principal): VerifiedSession {
  const session = requireSession(principal);
  if (!session.account.emailVerified) throw new ProblemError('auth/unverified-email');
  return session as VerifiedSession;
}

export function requireOnboarded(principal: Principal): OnboardedSession {
  const session = requireVerified(principal);
  if (session.account.displayName === null)
    throw new ProblemError('permission-denied', { detail: 'Complete your profile first.' });
  return session as OnboardedSession;
}

export function requireConfirmed(principal: Principal): ConfirmedSession {
  const session = requireVerified(principal);
  if (session.account.awaitsConfirmation)
    throw new ProblemError('permission-denied', { detail: 'Confirm that you studied here first.' });
  return session as ConfirmedSession;
}

export function requireMember(principal: Principal): MemberSession {
  requireOnboarded(principal);
  return requireConfirmed(principal) as MemberSession;
}

/**
 * Requires that the password was entered recently. Protects sensitive actions from a stranger at an unlocked device.
 * @throws ProblemError auth/requires-recent-login
 */
export function requireRecentSignIn({ isRecent }: Session): void {
  if (!isRecent) throw new ProblemError('auth/requires-recent-login');
}

export const isMemberPrincipal = (principal: Principal): principal is MemberSession =>
  principal !== null && isMember(principal.account);
