import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../db/client.ts';
import { type OwnCookie, createCookie } from '../platform/http/cookies.ts';
import { ProblemError } from '../platform/http/problem.ts';
import { isMember } from './accounts.ts';
import { type Session, findSession, hasEndedSession, rollSession, sessionDays } from './sessions.ts';

/** Who asks: a session, or null for a guest. */
export type Caller = Session | null;

export interface Callers {
  /** Who makes this request; looked up once a request. */
  find(request: FastifyRequest, reply: FastifyReply): Promise<Caller>;
  /** Who they are by now, for answers that take long: the session may have ended in the meantime. */
  findAgain(request: FastifyRequest): Promise<Caller>;
  readonly cookie: OwnCookie;
}

export function createCallers(db: Db, publicUrl: string): Callers {
  const cookie = createCookie('sid', sessionDays * 24 * 60 * 60, publicUrl);
  const known = new WeakMap<FastifyRequest, Promise<Caller>>();

  async function lookUp(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const token = cookie.read(request);
    if (!token) return null;
    const session = await findSession(db, token);
    if (!session) {
      if (!(await hasEndedSession(db, token))) cookie.clear(reply);
    } else if (session.isDueToRoll) {
      await rollSession(db, session.id);
      cookie.write(reply, token);
    }
    return session;
  }

  return {
    cookie,
    find: (request, reply) => {
      const caller = known.get(request) ?? lookUp(request, reply);
      known.set(request, caller);
      return caller;
    },
    findAgain: async (request) => {
      const token = cookie.read(request);
      return token ? findSession(db, token) : null;
    },
  };
}

/** @throws ProblemError auth/unauthenticated for a guest */
export function requireSession(caller: Caller): Session {
  if (!caller) throw new ProblemError('auth/unauthenticated');
  return caller;
}

/** @throws ProblemError auth/unauthenticated, auth/unverified-email */
export function requireVerified(caller: Caller): Session {
  const session = requireSession(caller);
  if (!session.account.emailVerified) throw new ProblemError('auth/unverified-email');
  return session;
}

/** Verified and onboarded. @throws ProblemError auth/unauthenticated, auth/unverified-email, permission-denied */
export function requireMember(caller: Caller): Session {
  const session = requireVerified(caller);
  if (!isMember(session.account))
    throw new ProblemError('permission-denied', { detail: 'Complete your profile first.' });
  return session;
}

/** For acts that a stranger at an unlocked phone must not do. @throws ProblemError auth/requires-recent-login */
export function requireRecent(caller: Caller): Session {
  const session = requireSession(caller);
  if (!session.isRecent) throw new ProblemError('auth/requires-recent-login');
  return session;
}

/** Whether this caller sees what is for members. */
export const isMemberCaller = (caller: Caller): boolean => caller !== null && isMember(caller.account);
