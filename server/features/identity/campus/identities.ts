import type { Db } from '#server/db/client.ts';
import type { CampusIdentity } from '#server/domain/campus-arrival.ts';
import { notify } from '#server/domain/notifications/notify.ts';
import { type FactorOwner, queueFactorMail } from '../second-factor/second-factor.ts';
import { endPendingSignIns } from '../sessions/pending-sign-ins.ts';

/** Returns the account with which a university account is connected. */
export async function findOwner(db: Db, { issuer, subject }: CampusIdentity): Promise<string | null> {
  const row = await db
    .selectFrom('campus_identities')
    .select('account_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.account_id ?? null;
}

/**
 * Disconnects the university account. Call it in a transaction that locks the account, and when the owner proves access
 * to the mailbox: an intruder may have connected their own university account.
 */
export async function disconnect(tx: Db, account: FactorOwner): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('campus_identities')
    .where('account_id', '=', account.id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return;
  await endPendingSignIns(tx, account.id);
  await notify(tx, account.id, 'campus-disconnected');
  await queueFactorMail(tx, account, 'campus-disconnected');
}
