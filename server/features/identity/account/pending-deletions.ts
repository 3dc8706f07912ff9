import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { recoveryTtl } from '../action-codes/action-codes.ts';

/** Until then the previous addresses of the account stay reserved and their recovery codes work. */
export async function postponeDeletion(
  db: Db,
  accountId: string,
  deletesAt: Date,
  heldAddresses: readonly string[],
): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ deletes_at: deletesAt, pending_email: null })
    .where('id', '=', accountId)
    .execute();
  if (heldAddresses.length === 0) return;
  await db
    .updateTable('held_addresses')
    .set((eb) => ({ until: eb.fn<Date>('greatest', ['until', eb.val(deletesAt)]) }))
    .where('account_id', '=', accountId)
    .where('email', 'in', heldAddresses)
    .execute();
  await db
    .updateTable('action_codes')
    .set((eb) => ({ expires_at: eb.fn<Date>('greatest', ['expires_at', eb.val(deletesAt)]) }))
    .where('account_id', '=', accountId)
    .where('mode', '=', 'recoverEmail')
    .where('email', 'in', heldAddresses)
    .execute();
}

/**
 * Postpones pending deletions of disabled accounts, and extends their reserved addresses and recovery codes to the same
 * time. A disabled account is not deleted automatically. The owner of an old address can still restore it after the
 * operator has enabled it.
 * @param accountId limits the change to one account; null for all accounts
 */
export async function postponeWhileDisabled(db: Db, accountId: string | null = null): Promise<void> {
  const end = sql<Date>`now() + ${recoveryTtl}::interval`;
  let accounts = db
    .updateTable('accounts')
    .set({ deletes_at: end })
    .where('deletes_at', 'is not', null)
    .where('disabled_at', 'is not', null);
  if (accountId !== null) accounts = accounts.where('id', '=', accountId);
  const ids = (await accounts.returning('id').execute()).map(({ id }) => id);
  if (ids.length === 0) return;
  await db.updateTable('held_addresses').set({ until: end }).where('account_id', 'in', ids).execute();
  await db
    .updateTable('action_codes')
    .set({ expires_at: end })
    .where('account_id', 'in', ids)
    .where('mode', '=', 'recoverEmail')
    .execute();
}
