import type { Context } from '#server/domain/context.ts';
import { notify } from '#server/domain/notifications/notify.ts';
import {
  endSessions,
  lockAccountOfSession,
  recordAuthentication,
  type Session,
} from '#server/domain/accounts/sessions.ts';
import { type Db, now } from '#server/db/client.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { queueInvitations } from '#server/domain/staff/invitations.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import { checkCode, cancelPendingChanges, useResetCode } from '../action-codes/action-codes.ts';
import { disconnect } from '../campus/identities.ts';
import { passwordChangedJob, resetMailJob } from '../jobs.ts';
import { getOrCreateDeviceToken, forgetDevices, rememberDevice, writeDeviceCookie } from '../sessions/known-devices.ts';
import { requireGoodPassword } from './password-policy.ts';
import { endPendingSignIns } from '../sessions/pending-sign-ins.ts';
import { removeRecentFactors, queueFactorMail } from '../second-factor/second-factor.ts';

/**
 * Requests a password reset mail. The worker looks up the account, so that neither the response nor its time reveals
 * whether the account exists (identity rule 3), or that the mailbox has reached its limit.
 */
export async function requestReset({ db, limiter }: Context, email: string, ip: string): Promise<void> {
  await limiter.requireAttempt(db, 'resetByAddress', networksOf(ip));
  await db.transaction().execute(async (tx) => {
    if ((await limiter.countAttempt(tx, 'resetMailByRecipient', email)) === 0) await resetMailJob.queue(tx, { email });
  });
}

/**
 * Sets a new password with a mailed code. Checks the policy first, so that a refused password does not use the code.
 * Ends all sessions, deletes all other reset codes, disconnects the university account and marks the address as
 * verified. Clears the sign-in limits of the account, because the owner has proved their identity.
 * @throws ProblemError auth/invalid-action-code, auth/expired-action-code, auth/password-does-not-meet-requirements
 */
export async function confirmReset(
  context: Context,
  { code, password }: { code: string; password: string },
  { request, reply }: Exchange,
): Promise<void> {
  const { db, limiter, passwordHasher } = context;
  const { mode, email } = await checkCode(db, code);
  if (mode !== 'resetPassword') throw new ProblemError('auth/invalid-action-code');
  requireGoodPassword(context.config, password, email);
  const passwordHash = await passwordHasher.hash(password, { isUrgent: true });
  const device = getOrCreateDeviceToken(context, request);
  await db.transaction().execute(async (tx) => {
    const accountId = await useResetCode(tx, code);
    await tx
      .updateTable('accounts')
      .set({ email_verified: true, password_reset_at: now })
      .where('id', '=', accountId)
      .execute();
    await queueInvitations(tx, accountId);
    await setPassword(tx, accountId, passwordHash, device);
    await endSessions(tx, accountId);
    await passwordChangedJob.queue(tx, { email });
    await disconnect(tx, { id: accountId, email, emailVerified: true });
    if (await removeRecentFactors(tx, accountId))
      await queueFactorMail(tx, { id: accountId, email, emailVerified: true }, 'taken-away');
    await limiter.clearAttempts(tx, 'pendingByAccount', accountId);
    await limiter.clearAttempts(tx, 'signInByAccount', email);
    await limiter.clearAttempts(tx, 'signInByAccountAndAddress', email, networksOf(request.ip));
  });
  writeDeviceCookie(context, reply, device);
}

/**
 * Ends all other sessions.
 * @throws ProblemError auth/password-does-not-meet-requirements, auth/too-many-requests, auth/unauthenticated
 */
export async function changePassword(
  context: Context,
  session: Session,
  password: string,
  { request, reply }: Exchange,
): Promise<void> {
  const { db, limiter, passwordHasher } = context;
  requireGoodPassword(context.config, password, session.account.email);
  await limiter.requireAttempt(db, 'changePasswordByAccount', session.account.id);
  const passwordHash = await passwordHasher.hash(password, { isUrgent: session.account.emailVerified });
  const device = getOrCreateDeviceToken(context, request);
  await db.transaction().execute(async (tx) => {
    const { id, email, emailVerified } = await lockAccountOfSession(tx, session);
    await setPassword(tx, id, passwordHash, device);
    await endSessions(tx, id, session.id);
    // An unverified mailbox may belong to another person.
    if (emailVerified) await passwordChangedJob.queue(tx, { email });
  });
  writeDeviceCookie(context, reply, device);
}

/**
 * Stores a new password, cancels pending changes and pending sign-ins, and forgets all other known devices.
 * @param device token of the browser in which the password was chosen
 */
async function setPassword(tx: Db, accountId: string, passwordHash: string, device: string): Promise<void> {
  await tx.updateTable('accounts').set({ password_hash: passwordHash }).where('id', '=', accountId).execute();
  await cancelPendingChanges(tx, accountId);
  await forgetDevices(tx, accountId);
  await endPendingSignIns(tx, accountId);
  await rememberDevice(tx, accountId, device);
  await notify(tx, accountId, 'password-changed');
}

/**
 * Checks the password again and allows sensitive actions for five minutes.
 * @throws ProblemError auth/invalid-credential, auth/too-many-requests
 */
export async function reauthenticate(
  { db, limiter, passwordHasher }: Context,
  { id, account }: Session,
  password: string,
): Promise<void> {
  await limiter.requireAttempt(db, 'reauthenticateByAccount', account.id);
  await limiter.requireAttempt(db, 'reauthenticateByAccountAndDay', account.id);
  const row = await db.selectFrom('accounts').select('password_hash').where('id', '=', account.id).executeTakeFirst();
  if (!(await passwordHasher.verify(password, row?.password_hash ?? null, { isUrgent: account.emailVerified })))
    throw new ProblemError('auth/invalid-credential');
  await limiter.clearAttempts(db, 'reauthenticateByAccount', account.id);
  await limiter.refundAttempt(db, 'reauthenticateByAccountAndDay', account.id);
  await recordAuthentication(db, id);
}
