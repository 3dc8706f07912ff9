import type { FastifyReply, FastifyRequest } from 'fastify';
import type { User } from '#contract/identity.ts';
import type { Db } from '../../db/client.ts';
import type { Context } from '../../domain/context.ts';
import { notify } from '../../domain/notify.ts';
import { endSession, findSession, holdAccount, startSession } from '../../domain/sessions.ts';
import { clearAttempts, forgiveAttempt, networkOf, requireAttempt } from '../../platform/limits.ts';
import { ProblemError } from '../../platform/problem.ts';
import { deviceTokenOf, isKnownDevice, rememberDevice, writeDeviceCookie } from './known-devices.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

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
  const device = deviceTokenOf(context, request);
  const isKnown = await isKnownDevice(db, email, device);
  const [rule, ...subject] = isKnown
    ? (['signInByDevice', email, device] as const)
    : (['signInByAccount', email] as const);
  await requireAttempt(db, rule, ...subject);

  if (!(await passwords.verify(password, account?.password_hash ?? null)) || !account) {
    throw new ProblemError('auth/invalid-credential');
  }
  await forgiveAttempt(db, 'signInByAddress', network);
  await clearAttempts(db, 'signInByAccountAndAddress', email, network);
  await forgiveAttempt(db, rule, ...subject);
  await requireAttempt(db, 'sessionsByAccount', account.id);

  const before = await context.callers.find(request, reply);
  const opened = await db.transaction().execute(async (tx) => {
    // The check took a while: a password that has been replaced meanwhile opens nothing any more.
    const held = await holdAccount(tx, account.id);
    if (held?.passwordHash !== account.password_hash) throw new ProblemError('auth/invalid-credential');
    if (!isKnown) await notify(tx, account.id, 'new-device', request.headers['user-agent'] ?? '');
    if (before) await endSession(tx, before.account.id, before.id);
    return openSession(tx, account.id, request, device);
  });
  return admit(context, reply, opened);
}

/** A session that has been written down, and is not yet known to the browser. */
interface OpenedSession {
  readonly user: User;
  readonly token: string;
  readonly device: string;
}

/** Starts a session and remembers the browser. Belongs into a transaction; `admit` comes after it. */
export async function openSession(
  tx: Db,
  accountId: string,
  request: FastifyRequest,
  device: string,
): Promise<OpenedSession> {
  const token = await startSession(tx, accountId, request.headers['user-agent'] ?? '');
  await rememberDevice(tx, accountId, device);
  const session = await findSession(tx, token);
  if (!session) throw new Error('A session that was just started is not there.');
  return { user: session.user, token, device };
}

/** Hands the browser its cookies. */
export function admit(context: Context, reply: FastifyReply, { user, token, device }: OpenedSession): User {
  context.callers.cookie.write(reply, token);
  writeDeviceCookie(context, reply, device);
  return user;
}
