import type { Context } from '#server/domain/context.ts';
import type { Db } from '#server/db/client.ts';
import type { Limiter } from '#server/domain/rate-limit-rules.ts';
import { type LockedAccount, lockAccount } from '#server/domain/accounts/sessions.ts';
import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import type { Log } from '#server/platform/log/log.ts';
import { endPendingSignIns } from '../sessions/pending-sign-ins.ts';
import { removeAllFactors, queueFactorMail } from './second-factor.ts';

/**
 * Removes all second factors of an account, for an owner who has lost them and whose identity the operator has checked.
 * Password and sessions do not change. The owner gets a mail.
 * @returns whether the account had a second factor
 */
export async function resetSecondFactor({ db, limiter }: Context, accountId: string, log: Log): Promise<boolean> {
  const had = await db.transaction().execute(async (tx) => {
    const account = await lockAccount(tx, accountId);
    return account !== null && removeFactorsOfLockedAccount(tx, limiter, account);
  });
  if (had) recordAuditEvent(log, 'second factor removed by the operator');
  return had;
}

export async function removeFactorsOfLockedAccount(tx: Db, limiter: Limiter, account: LockedAccount): Promise<boolean> {
  if (!(await removeAllFactors(tx, account.id))) return false;
  await endPendingSignIns(tx, account.id);
  await limiter.clearAttempts(tx, 'secondFactorByAccount', account.id);
  await queueFactorMail(tx, account, 'reset-by-office');
  return true;
}
