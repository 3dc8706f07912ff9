import { now } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { resumeListings } from '#server/domain/people/people.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import type { Log } from '#server/platform/log/log.ts';
import { hidingTransaction } from './hide-account.ts';
import { postponeWhileDisabled } from './pending-deletions.ts';

/*
 * Accounts that the operator disables. No one can sign in to a disabled account, see its profile or write to it, and it
 * gets no mail. Its data stays, and enabling the account restores everything (decision 20).
 */

/**
 * Disables an account. Ends its sessions, pending sign-ins and mailed codes. Recovery codes of previous addresses stay
 * and work again after the account is enabled.
 * @returns whether the account was enabled; null if it does not exist
 */
export async function disableAccount(context: Context, accountId: string, log: Log): Promise<boolean | null> {
  const wasEnabled = await hidingTransaction(context, async (tx, hide) => {
    const account = await lockAccount(tx, accountId);
    if (!account) return null;
    if (account.isDisabled) return false;
    await tx.updateTable('accounts').set({ disabled_at: now }).where('id', '=', accountId).execute();
    // An account with a pending deletion is already hidden.
    if (!account.isDeletionPending) await hide(accountId);
    return true;
  });
  if (wasEnabled) recordAuditEvent(log, 'account disabled by the operator');
  return wasEnabled;
}

export async function enableAccount({ db }: Context, accountId: string, log: Log): Promise<boolean | null> {
  const wasDisabled = await db.transaction().execute(async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (!account) return null;
    if (!account.isDisabled) return false;
    await postponeWhileDisabled(tx, accountId);
    await tx.updateTable('accounts').set({ disabled_at: null }).where('id', '=', accountId).execute();
    await resumeListings(tx, accountId);
    return true;
  });
  if (wasDisabled) recordAuditEvent(log, 'account enabled by the operator');
  return wasDisabled;
}
