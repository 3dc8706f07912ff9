import type { Context } from '../../domain/context.ts';
import { notify } from '../../domain/notify.ts';
import { endSessions, markAuthenticated, type Session } from '../../domain/sessions.ts';
import { clearAttempts, networkOf, requireAttempt } from '../../platform/limits.ts';
import { ProblemError } from '../../platform/problem.ts';
import { checkCode, forgetWishes, useResetCode } from './action-codes.ts';
import { passwordChangedJob, resetMailJob } from './jobs.ts';
import { requireGoodPassword } from './password-policy.ts';

/**
 * Asks for a reset mail. Whether the address has an account is found out by the worker, so neither the answer nor its
 * time can tell (identity rule 3).
 */
export async function requestReset({ db }: Context, email: string, ip: string): Promise<void> {
  await requireAttempt(db, 'resetByAddress', networkOf(ip));
  await resetMailJob.queue(db, { email });
}

/**
 * Sets a new password with a mailed code. The policy comes first, so that a refused password does not cost the code.
 * Every session ends, every other reset link dies, and the mailbox counts as verified.
 * @throws ProblemError auth/invalid-action-code, auth/expired-action-code, auth/password-does-not-meet-requirements
 */
export async function confirmReset({ db, passwords }: Context, code: string, password: string): Promise<void> {
  const { mode, email } = await checkCode(db, code);
  if (mode !== 'resetPassword') throw new ProblemError('auth/invalid-action-code');
  requireGoodPassword(password, email);
  const passwordHash = await passwords.hash(password);
  await db.transaction().execute(async (tx) => {
    const accountId = await useResetCode(tx, code);
    await tx
      .updateTable('accounts')
      .set({ password_hash: passwordHash, email_verified: true })
      .where('id', '=', accountId)
      .execute();
    await forgetWishes(tx, accountId);
    await endSessions(tx, accountId);
    await passwordChangedJob.queue(tx, { email });
    await notify(tx, accountId, 'password-changed');
  });
}

/** Changes the password from inside; this session goes on, every other one ends. */
export async function changePassword(
  { db, passwords }: Context,
  { id, account }: Session,
  password: string,
): Promise<void> {
  requireGoodPassword(password, account.email);
  const passwordHash = await passwords.hash(password);
  await db.transaction().execute(async (tx) => {
    await tx.updateTable('accounts').set({ password_hash: passwordHash }).where('id', '=', account.id).execute();
    await forgetWishes(tx, account.id);
    await endSessions(tx, account.id, id);
    await passwordChangedJob.queue(tx, { email: account.email });
    await notify(tx, account.id, 'password-changed');
  });
}

/** Opens the five minutes in which sensitive acts are allowed. @throws ProblemError auth/invalid-credential */
export async function reauthenticate(
  { db, passwords }: Context,
  { id, account }: Session,
  password: string,
): Promise<void> {
  await requireAttempt(db, 'reauthenticateByAccount', account.id);
  const row = await db.selectFrom('accounts').select('password_hash').where('id', '=', account.id).executeTakeFirst();
  if (!(await passwords.verify(password, row?.password_hash ?? null)))
    throw new ProblemError('auth/invalid-credential');
  await clearAttempts(db, 'reauthenticateByAccount', account.id);
  await markAuthenticated(db, id);
}
