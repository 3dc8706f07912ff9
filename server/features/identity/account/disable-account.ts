import { sql } from 'kysely';
import type { Context } from '../../../domain/context.ts';
import { resumeListings } from '../../../domain/people.ts';
import { lockAccount } from '../../../domain/sessions.ts';
import { recordAuditEvent } from '../../../domain/audit-events.ts';
import type { Log } from '../../../platform/log/log.ts';
import { hidingTransaction } from './hide-account.ts';
import { postponeWhileDisabled } from './pending-deletions.ts';

/*
 * An account that the operator switches off: from that moment on nobody signs in to it, nobody sees or writes to its person,
 * and no mail goes to it. Nothing of it is lost; switched on again, it is as it was (decision 20).
 */

/**
 * Switches an account off. Sessions, sign-ins that wait for a second factor and mailed codes end at once; only a way back
 * to a former address sleeps, for it is its owner's for thirty days.
 * @returns whether it was on; null when there is no such account
 */
export async function disableAccount(context: Context, accountId: string, log: Log): Promise<boolean | null> {
  const wasOn = await hidingTransaction(context, async (tx, hide) => {
    const account = await lockAccount(tx, accountId);
    if (!account) return null;
    if (account.isDisabled) return false;
    await tx
      .updateTable('accounts')
      .set({ disabled_at: sql<Date>`now()` })
      .where('id', '=', accountId)
      .execute();
    // It is hidden already while its deletion is pending.
    if (!account.isDeletionPending) await hide(accountId);
    return true;
  });
  if (wasOn) recordAuditEvent(log, 'account disabled by the operator');
  return wasOn;
}

/**
 * Switches an account on again: everything that its owner had chosen, and their place in every list.
 * @returns whether it was off; null when there is no such account
 */
export async function enableAccount({ db }: Context, accountId: string, log: Log): Promise<boolean | null> {
  const wasOff = await db.transaction().execute(async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (!account) return null;
    if (!account.isDisabled) return false;
    await postponeWhileDisabled(tx, accountId);
    await tx.updateTable('accounts').set({ disabled_at: null }).where('id', '=', accountId).execute();
    await resumeListings(tx, accountId);
    return true;
  });
  if (wasOff) recordAuditEvent(log, 'account enabled by the operator');
  return wasOff;
}
