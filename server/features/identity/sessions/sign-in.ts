import { getDeviceName } from '#contract/device-name.ts';
import type { User } from '#contract/identity.ts';
import type { Db } from '#server/db/client.ts';
import type { Principal } from '#server/domain/accounts/authentication.ts';
import type { Context } from '#server/domain/context.ts';
import { recordSignIn } from '#server/domain/accounts/hidden-until-sign-in.ts';
import { describeSuspension } from '#server/domain/staff/moderation-notices.ts';
import { notify } from '#server/domain/notifications/notify.ts';
import {
  type LockedAccount,
  endSession,
  findSession,
  lockAccount,
  startSession,
} from '#server/domain/accounts/sessions.ts';
import { type Network, networksOf } from '#server/platform/limits/networks.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import { newDeviceJob } from '../jobs.ts';
import { getOrCreateDeviceToken, isKnownDevice, rememberDevice, writeDeviceCookie } from './known-devices.ts';
import { createPendingCookie, startPendingSignIn } from './pending-sign-ins.ts';
import { hasSecondFactor } from '../second-factor/second-factor.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/**
 * Checks a password and signs in. An unknown address gets the same response as a wrong password, in the same time.
 * Attempts are counted before the check, so that parallel attempts cannot exceed a limit, and refunded if they succeed.
 * If the account has a second factor, the correct password creates only a pending sign-in. A wrong password therefore
 * does not reveal whether the account has a second factor.
 * @throws ProblemError auth/invalid-credential, auth/multi-factor-required, auth/too-many-requests, auth/user-disabled
 */
export async function signIn(context: Context, { email, password }: Credentials, exchange: Exchange): Promise<User> {
  const { db, passwordHasher } = context;
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'password_hash', 'email_verified'])
    .where('email', '=', email)
    // An account with a pending deletion gets the response of an unknown address.
    .where('deletes_at', 'is', null)
    .executeTakeFirst();
  const browser = await readBrowser(context, exchange);
  const isKnown = await isKnownDevice(db, email, browser.device);
  const knownDevice = isKnown ? browser.device : null;
  // Also check the password for an unknown address, so that the response time does not reveal whether the address has
  // an account.
  await requireSessionsBelowLimit(context, account?.id ?? email, knownDevice);
  const refund = await countSignInAttempt(context, email, networksOf(exchange.request.ip), knownDevice);
  // Unverified accounts are easy to create, so their devices get no priority.
  const isUrgent = isKnown && account?.email_verified === true;
  const isRight = await passwordHasher.verify(password, account?.password_hash ?? null, { isUrgent });
  if (!isRight || !account) throw new ProblemError('auth/invalid-credential');
  // Hash an imported password again with the current algorithm.
  const renewed = passwordHasher.isOutdated(account.password_hash)
    ? await passwordHasher.hash(password, { isUrgent })
    : null;
  const opened = await db.transaction().execute(async (tx) => {
    // The password may have changed while it was checked.
    const locked = await lockAccount(tx, account.id);
    if (!locked || locked.isDeletionPending) throw new ProblemError('auth/invalid-credential');
    if (locked.passwordHash !== account.password_hash) {
      // A parallel sign-in may have replaced the hash of the same password.
      const isRenewed = renewed !== null && (await passwordHasher.verify(password, locked.passwordHash, { isUrgent }));
      if (!isRenewed) throw new ProblemError('auth/invalid-credential');
    } else if (renewed !== null) {
      await tx.updateTable('accounts').set({ password_hash: renewed }).where('id', '=', locked.id).execute();
    }
    return openSessionOrPendingSignIn(context, tx, locked, { ...browser, isKnown });
  });
  await refund();
  return setSignInCookies(context, exchange, opened);
}

/**
 * Opens a session after the first factor was checked, or a pending sign-in if the account has a second factor. Call it in
 * a transaction that locks the account, and `setSignInCookies` after the commit.
 * @throws ProblemError auth/too-many-requests, auth/user-disabled
 */
export async function openSessionOrPendingSignIn(
  context: Context,
  tx: Db,
  account: LockedAccount,
  signIn: SignIn,
): Promise<OpenedSession | string> {
  const { limiter } = context;
  const { device, isKnown, isByCampus = false } = signIn;
  if (await hasSecondFactor(tx, account.id)) {
    await (isKnown
      ? limiter.requireAttempt(tx, 'pendingByDevice', account.id, device)
      : limiter.requireAttempt(tx, 'pendingByAccount', account.id));
    return startPendingSignIn(tx, account.id, isByCampus);
  }
  return finishSignIn(context, tx, account, signIn);
}

/** @throws ProblemError auth/multi-factor-required if the sign-in is pending */
export function setSignInCookies(context: Context, exchange: Exchange, opened: OpenedSession | string): User {
  if (typeof opened !== 'string') return setSessionCookies(context, exchange, opened);
  createPendingCookie(context).write(exchange.reply, opened);
  throw new ProblemError('auth/multi-factor-required');
}

/**
 * Counts an attempt before its password is checked. A browser that has signed in to the account before has a separate
 * limit, so that failed attempts of other people never block it.
 * @param knownDevice the token of such a browser; null for any other browser
 * @returns a function that refunds the attempt after a successful sign-in
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
 * Requires that limits allow a session or a pending sign-in, so that no password is hashed in vain.
 * @param knownDevice the token of a browser that has signed in before; null for any other browser
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

export interface Browser {
  readonly device: string;
  readonly userAgent: string;
  /** Its session, which ends when another one opens. */
  readonly before: Principal;
}

export const readBrowser = async (context: Context, exchange: Exchange): Promise<Browser> => ({
  device: getOrCreateDeviceToken(context, exchange.request),
  userAgent: exchange.request.headers['user-agent'] ?? '',
  before: await context.authentication.authenticate(exchange),
});

interface SignIn extends Browser {
  /** Whether the browser has signed in to the account before. It has separate limits. */
  readonly isKnown: boolean;
  /** Whether the university confirmed the account, instead of a password. */
  readonly isByCampus?: boolean;
}

/**
 * Opens a session after all factors were checked. Notifies the owner if the browser is new. Call it in a transaction
 * that locks the account, and `setSessionCookies` after the commit.
 * @throws ProblemError auth/too-many-requests, auth/user-disabled
 */
export async function finishSignIn(
  { limiter }: Context,
  tx: Db,
  account: LockedAccount,
  { isKnown, isByCampus = false, ...browser }: SignIn,
): Promise<OpenedSession> {
  const { device, userAgent } = browser;
  await (isKnown
    ? limiter.requireAttempt(tx, 'sessionsByDevice', account.id, device)
    : limiter.requireAttempt(tx, 'sessionsByAccount', account.id));
  // Checked last, so that only users with correct credentials see that the account is disabled.
  if (account.isDisabled) throw new ProblemError('auth/user-disabled');
  if (account.suspendedUntil)
    throw new ProblemError('auth/user-disabled', { detail: describeSuspension(account.suspendedUntil) });
  if (!isKnown) {
    await notify(tx, account.id, 'new-device', userAgent);
    // An unverified mailbox may belong to another person.
    if (account.emailVerified && (await limiter.countAttempt(tx, 'newDeviceMailByRecipient', account.email)) === 0) {
      // A name from a fixed list. The User-Agent header itself could contain any text.
      await newDeviceJob.queue(tx, { email: account.email, device: getDeviceName(userAgent) });
    }
  }
  return openSession(tx, account.id, browser, !isByCampus);
}

export interface OpenedSession {
  readonly user: User;
  readonly token: string;
  readonly device: string;
}

/** Call it in a transaction, and `setSessionCookies` after the commit. */
export async function openSession(
  tx: Db,
  accountId: string,
  { device, userAgent, before }: Browser,
  isRecent = true,
): Promise<OpenedSession> {
  if (before) await endSession(tx, before.account.id, before.id);
  const token = await startSession(tx, accountId, userAgent, isRecent);
  await recordSignIn(tx, accountId);
  await rememberDevice(tx, accountId, device);
  const session = await findSession(tx, token);
  if (!session) throw new Error('The session that was just started was not found.');
  return { user: session.user, token, device };
}

export function setSessionCookies(context: Context, { reply }: Exchange, { user, token, device }: OpenedSession): User {
  context.authentication.cookie.write(reply, token);
  writeDeviceCookie(context, reply, device);
  return user;
}
