import type { FastifyReply, FastifyRequest } from 'fastify';
import { getDeviceName } from '#contract/device-name.ts';
import type { User } from '#contract/identity.ts';
import type { Db } from '../../../db/client.ts';
import type { Principal } from '../../../domain/authentication.ts';
import type { Context } from '../../../domain/context.ts';
import { recordSignIn } from '../../../domain/hidden-until-sign-in.ts';
import { notify } from '../../../domain/notify.ts';
import { type LockedAccount, endSession, findSession, lockAccount, startSession } from '../../../domain/sessions.ts';
import { type Network, networksOf } from '../../../platform/limits/networks.ts';
import { ProblemError } from '../../../platform/http/problem.ts';
import { newDeviceJob } from '../jobs.ts';
import { getOrCreateDeviceToken, isKnownDevice, rememberDevice, writeDeviceCookie } from './known-devices.ts';
import { createPendingCookie, startPendingSignIn } from './pending-sign-ins.ts';
import { hasSecondFactor } from '../second-factor/second-factor.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/**
 * Checks a password and signs in. An unknown address answers like a wrong password and takes as long. Attempts are
 * counted before the check, so that parallel ones cannot slip through, and forgiven when they open a session or a pending
 * sign-in. Whether an account
 * has a second factor is told to nobody but who knows its password; then there is no session yet, only a pending sign-in.
 * @throws ProblemError auth/invalid-credential, auth/multi-factor-required, auth/too-many-requests, auth/user-disabled
 */
export async function signIn(
  context: Context,
  { email, password }: Credentials,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<User> {
  const { db, limiter, passwordHasher } = context;
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'password_hash', 'email_verified'])
    .where('email', '=', email)
    // An account whose deletion is pending answers like one that does not exist.
    .where('deletes_at', 'is', null)
    .executeTakeFirst();
  const device = getOrCreateDeviceToken(context, request);
  const isKnown = await isKnownDevice(db, email, device);
  // Asked for an address without an account as well, so that the time does not tell.
  await requireSessionsBelowLimit(context, account?.id ?? email, isKnown ? device : null);
  const forgive = await countSignInAttempt(context, email, networksOf(request.ip), isKnown ? device : null);
  // Anyone can create unverified accounts: their devices get no priority.
  const isUrgent = isKnown && account?.email_verified === true;
  const isRight = await passwordHasher.verify(password, account?.password_hash ?? null, { isUrgent });
  if (!isRight || !account) throw new ProblemError('auth/invalid-credential');
  // One that was brought over from elsewhere is kept like all others from now on.
  const renewed = passwordHasher.isOutdated(account.password_hash)
    ? await passwordHasher.hash(password, { isUrgent })
    : null;
  const before = await context.authentication.authenticate(request, reply);
  const opened = await db.transaction().execute(async (tx) => {
    // The check took a while: a password that has been replaced meanwhile opens nothing any more.
    const held = await lockAccount(tx, account.id);
    if (!held || held.isDeletionPending) throw new ProblemError('auth/invalid-credential');
    if (held.passwordHash !== account.password_hash) {
      // Only another sign-in at the same moment leaves the same password under another hash.
      const isRenewed = renewed !== null && (await passwordHasher.verify(password, held.passwordHash, { isUrgent }));
      if (!isRenewed) throw new ProblemError('auth/invalid-credential');
    } else if (renewed !== null) {
      await tx.updateTable('accounts').set({ password_hash: renewed }).where('id', '=', held.id).execute();
    }
    if (await hasSecondFactor(tx, held.id)) {
      await (isKnown
        ? limiter.requireAttempt(tx, 'pendingByDevice', held.id, device)
        : limiter.requireAttempt(tx, 'pendingByAccount', held.id));
      return startPendingSignIn(tx, held.id);
    }
    await countSession(context, tx, held.id, isKnown ? device : null);
    return finishSignIn(context, tx, held, request, { device, isKnown, before });
  });
  await forgive();
  if (typeof opened !== 'string') return setSessionCookies(context, reply, opened);
  createPendingCookie(context).write(reply, opened);
  throw new ProblemError('auth/multi-factor-required');
}

/**
 * Counts a password that is about to be checked. A browser that has signed in to the account before has a limit of its own: the
 * failures of others, behind the same address or for the same account, never refuse it.
 * @param knownDevice the token of such a browser; null for any other
 * @returns takes the attempt back, after a successful sign-in
 * @throws ProblemError auth/too-many-requests
 */
async function countSignInAttempt(
  { db, limiter }: Context,
  email: string,
  networks: readonly Network[],
  knownDevice: string | null,
): Promise<() => Promise<void>> {
  if (knownDevice !== null) {
    await limiter.requireAttempt(db, 'signInByDevice', email, knownDevice);
    return () => limiter.refundAttempt(db, 'signInByDevice', email, knownDevice);
  }
  await limiter.requireAttempt(db, 'signInByAddress', networks);
  await limiter.requireAttempt(db, 'signInByAccountAndAddress', email, networks);
  await limiter.requireAttempt(db, 'signInByAccount', email);
  return async () => {
    await limiter.refundAttempt(db, 'signInByAddress', networks);
    await limiter.clearAttempts(db, 'signInByAccountAndAddress', email, networks);
    await limiter.refundAttempt(db, 'signInByAccount', email);
  };
}

/**
 * Throws when a right password could open neither a session nor a pending sign-in, so that such a password is not hashed.
 * @param knownDevice the token of a browser that has signed in before; null for any other
 * @throws ProblemError auth/too-many-requests
 */
async function requireSessionsBelowLimit(
  { db, limiter }: Context,
  accountId: string,
  knownDevice: string | null,
): Promise<void> {
  if (knownDevice === null) {
    await limiter.requireBelowLimit(db, 'sessionsByAccount', accountId);
    await limiter.requireBelowLimit(db, 'pendingByAccount', accountId);
  } else {
    await limiter.requireBelowLimit(db, 'sessionsByDevice', accountId, knownDevice);
    await limiter.requireBelowLimit(db, 'pendingByDevice', accountId, knownDevice);
  }
}

/**
 * Counts a session that is about to be opened. A browser that has signed in before has a limit of its own here as well.
 * @param knownDevice the token of such a browser; null for any other
 * @throws ProblemError auth/too-many-requests
 */
export const countSession = (
  { limiter }: Pick<Context, 'limiter'>,
  tx: Db,
  accountId: string,
  knownDevice: string | null,
): Promise<void> =>
  knownDevice === null
    ? limiter.requireAttempt(tx, 'sessionsByAccount', accountId)
    : limiter.requireAttempt(tx, 'sessionsByDevice', accountId, knownDevice);

/** What is known of the browser in which somebody signs in. */
interface SignInContext {
  readonly device: string;
  /** Whether it has signed in to this account before. */
  readonly isKnown: boolean;
  /** The session that it has so far, which ends. */
  readonly before: Principal;
}

/**
 * Opens a session for somebody who has shown all that was asked for, and tells them of a browser that they have not used
 * before. Belongs into a transaction that holds the account; `admit` comes after it.
 * @throws ProblemError auth/user-disabled
 */
export async function finishSignIn(
  { limiter }: Context,
  tx: Db,
  account: LockedAccount,
  request: FastifyRequest,
  { device, isKnown, before }: SignInContext,
): Promise<OpenedSession> {
  // Asked last, when everything that was typed is right: nobody learns it by guessing.
  if (account.isDisabled) throw new ProblemError('auth/user-disabled');
  if (!isKnown) {
    const userAgent = request.headers['user-agent'] ?? '';
    await notify(tx, account.id, 'new-device', userAgent);
    // Nobody has said yet that an unverified mailbox is theirs.
    if (account.emailVerified && (await limiter.countAttempt(tx, 'newDeviceMailByRecipient', account.email)) === 0) {
      // The few words that we know, never the browser's own: whoever signs in can write anything there.
      await newDeviceJob.queue(tx, { email: account.email, device: getDeviceName(userAgent) });
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
  await recordSignIn(tx, accountId);
  await rememberDevice(tx, accountId, device);
  const session = await findSession(tx, token);
  if (!session) throw new Error('A session that was just started is not there.');
  return { user: session.user, token, device };
}

/** Hands the browser its cookies. */
export function setSessionCookies(context: Context, reply: FastifyReply, { user, token, device }: OpenedSession): User {
  context.authentication.cookie.write(reply, token);
  writeDeviceCookie(context, reply, device);
  return user;
}
