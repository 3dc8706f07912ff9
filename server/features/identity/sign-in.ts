import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { User } from '#contract/identity.ts';
import type { Context } from '../../domain/context.ts';
import { notify } from '../../domain/notify.ts';
import { endSession, findSession, startSession } from '../../domain/sessions.ts';
import { createCookie } from '../../platform/cookies.ts';
import { clearAttempts, forgiveAttempt, networkOf, requireAttempt } from '../../platform/limits.ts';
import { ProblemError } from '../../platform/problem.ts';
import { hashToken, newToken } from '../../platform/tokens.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

const deviceDays = 400;
const deviceCookie = ({ config }: Context) => createCookie('device', deviceDays * 24 * 60 * 60, config.http.publicUrl);

/**
 * Checks a password and signs in. An unknown address answers like a wrong password and takes as long. Attempts are
 * counted before the check, so that parallel ones cannot slip through, and forgiven after a right one.
 * @throws ProblemError auth/invalid-credential, auth/too-many-requests
 */
export async function signIn(
  context: Context,
  { email, password }: Credentials,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<User> {
  const { db, passwords } = context;
  const network = networkOf(request.ip);
  await requireAttempt(db, 'signInByAddress', network);
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'password_hash'])
    .where('email', '=', email)
    .executeTakeFirst();
  await requireAttempt(db, 'signInByAccountAndAddress', email, network);
  // Anybody can make an account's lock close; it must not close on the phone that its owner uses every day.
  const isKnown = await isKnownDevice(context, email, request);
  if (!isKnown) await requireAttempt(db, 'signInByAccount', email);

  if (!(await passwords.verify(password, account?.password_hash ?? null)) || !account) {
    throw new ProblemError('auth/invalid-credential');
  }
  await forgiveAttempt(db, 'signInByAddress', network);
  await clearAttempts(db, 'signInByAccountAndAddress', email, network);
  if (!isKnown) await forgiveAttempt(db, 'signInByAccount', email);
  if (!isKnown) await notify(db, account.id, 'new-device', request.headers['user-agent'] ?? '');
  return openSession(context, account.id, request, reply);
}

/** Starts a session and sets its cookies; a session that this browser had before ends. */
export async function openSession(
  context: Context,
  accountId: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<User> {
  const { db, callers } = context;
  const before = await callers.find(request, reply);
  if (before) await endSession(db, before.account.id, before.id);
  const token = await startSession(db, accountId, request.headers['user-agent'] ?? '');
  callers.cookie.write(reply, token);
  await rememberDevice(context, accountId, request, reply);
  const session = await findSession(db, token);
  if (!session) throw new Error('A session that was just started is not there.');
  return session.user;
}

/** Asked in the same way for an address without an account, so that the time does not tell. */
async function isKnownDevice(context: Context, email: string, request: FastifyRequest): Promise<boolean> {
  const token = deviceCookie(context).read(request);
  if (!token) return false;
  const device = await context.db
    .selectFrom('known_devices as d')
    .innerJoin('accounts as a', 'a.id', 'd.account_id')
    .select('d.account_id')
    .where('a.email', '=', email)
    .where('d.token_hash', '=', hashToken(token))
    .executeTakeFirst();
  return device !== undefined;
}

/** Only digests are kept, one for each account that signed in with this browser. */
async function rememberDevice(
  context: Context,
  accountId: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const cookie = deviceCookie(context);
  const token = cookie.read(request) ?? newToken().token;
  await context.db
    .insertInto('known_devices')
    .values({ account_id: accountId, token_hash: hashToken(token) })
    .onConflict((conflict) => conflict.columns(['account_id', 'token_hash']).doUpdateSet({ seen_at: sql<Date>`now()` }))
    .execute();
  cookie.write(reply, token);
}
