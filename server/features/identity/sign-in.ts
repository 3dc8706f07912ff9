import type { FastifyReply, FastifyRequest } from 'fastify';
import { nameOfDevice } from '#contract/device-name.ts';
import type { User } from '#contract/identity.ts';
import type { Db } from '../../db/client.ts';
import type { Caller } from '../../domain/callers.ts';
import type { Context } from '../../domain/context.ts';
import { notify } from '../../domain/notify.ts';
import { type HeldAccount, endSession, findSession, holdAccount, startSession } from '../../domain/sessions.ts';
import { clearAttempts, countAttempt, forgiveAttempt, networkOf, requireAttempt } from '../../platform/limits.ts';
import { ProblemError } from '../../platform/problem.ts';
import { newDeviceJob } from './jobs.ts';
import { deviceTokenOf, isKnownDevice, rememberDevice, writeDeviceCookie } from './known-devices.ts';
import { pendingCookieOf, startPendingSignIn } from './pending-sign-ins.ts';
import { hasSecondFactor } from './second-factor.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/**
 * Checks a password and signs in. An unknown address answers like a wrong password and takes as long. Attempts are
 * counted before the check, so that parallel ones cannot slip through, and forgiven after a right one. Whether an account
 * has a second factor is told to nobody but who knows its password; then there is no session yet, only a pending sign-in.
 * @throws ProblemError auth/invalid-credential, auth/multi-factor-required, auth/too-many-requests, auth/user-disabled
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
  // One that was brought over from elsewhere is kept like all others from now on.
  const renewed = passwords.isOutdated(account.password_hash) ? await passwords.hash(password) : null;
  const before = await context.callers.find(request, reply);
  const opened = await db.transaction().execute(async (tx) => {
    // The check took a while: a password that has been replaced meanwhile opens nothing any more.
    const held = await holdAccount(tx, account.id);
    if (!held) throw new ProblemError('auth/invalid-credential');
    if (held.passwordHash !== account.password_hash) {
      // Only another sign-in at the same moment leaves the same password under another hash.
      const isRenewed = renewed !== null && (await passwords.verify(password, held.passwordHash));
      if (!isRenewed) throw new ProblemError('auth/invalid-credential');
    } else if (renewed !== null) {
      await tx.updateTable('accounts').set({ password_hash: renewed }).where('id', '=', held.id).execute();
    }
    if (await hasSecondFactor(tx, held.id)) {
      await (isKnown
        ? requireAttempt(tx, 'pendingByDevice', held.id, device)
        : requireAttempt(tx, 'pendingByAccount', held.id));
      return startPendingSignIn(tx, held.id);
    }
    await requireAttempt(tx, 'sessionsByAccount', held.id);
    return finishSignIn(tx, held, request, { device, isKnown, before });
  });
  if (typeof opened !== 'string') return admit(context, reply, opened);
  pendingCookieOf(context).write(reply, opened);
  throw new ProblemError('auth/multi-factor-required');
}

/** What is known of the browser in which somebody signs in. */
interface Circumstances {
  readonly device: string;
  /** Whether it has signed in to this account before. */
  readonly isKnown: boolean;
  /** The session that it has so far, which ends. */
  readonly before: Caller;
}

/**
 * Opens a session for somebody who has shown all that was asked for, and tells them of a browser that they have not used
 * before. Belongs into a transaction that holds the account; `admit` comes after it.
 * @throws ProblemError auth/user-disabled
 */
export async function finishSignIn(
  tx: Db,
  account: HeldAccount,
  request: FastifyRequest,
  { device, isKnown, before }: Circumstances,
): Promise<OpenedSession> {
  // Asked last, when everything that was typed is right: nobody learns it by guessing.
  if (account.isDisabled) throw new ProblemError('auth/user-disabled');
  if (!isKnown) {
    const userAgent = request.headers['user-agent'] ?? '';
    await notify(tx, account.id, 'new-device', userAgent);
    // Nobody has said yet that an unverified mailbox is theirs.
    if (account.emailVerified && (await countAttempt(tx, 'newDeviceMailByRecipient', account.email)) === 0) {
      // The few words that we know, never the browser's own: whoever signs in can write anything there.
      await newDeviceJob.queue(tx, { email: account.email, device: nameOfDevice(userAgent) });
    }
  }
  if (before) await endSession(tx, before.account.id, before.id);
  return openSession(tx, account.id, request, device);
}

/** A session that has been written down, and is not yet known to the browser. */
export interface OpenedSession {
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
