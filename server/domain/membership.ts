import { sql } from 'kysely';
import type { MembershipStatus } from '#contract/membership.ts';
import type { Db } from '../db/client.ts';
import { findPerson, pauseListings, resumeListings, updateListings } from './people.ts';
import { lockAccount } from './sessions.ts';

/** Whether the archive requires confirmation. The mode in effect is in the database, so that all processes and commands agree on it. */
export async function requiresConfirmation(db: Db): Promise<boolean> {
  const { mode } = await db.selectFrom('membership_mode').select('mode').executeTakeFirstOrThrow();
  return mode === 'confirmed';
}

/**
 * Changes where the membership of an account stands, and adds or removes its listings in the same transaction. Every confirmation and every
 * withdrawal passes through here. Ends the grace period unless the status is `unconfirmed` already.
 * @returns whether the status changed
 */
export async function setMembershipStatus(tx: Db, accountId: string, status: MembershipStatus): Promise<boolean> {
  if (!(await lockAccount(tx, accountId))) return false;
  const before = await findPerson(tx, accountId);
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({
      membership_status: status,
      confirmed_at: status === 'confirmed' ? sql<Date>`now()` : null,
      confirm_by: null,
    })
    .where('id', '=', accountId)
    .where('membership_status', '<>', status)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  const now = await findPerson(tx, accountId);
  if (!before || !now || before.awaitsConfirmation === now.awaitsConfirmation) return true;
  if (now.awaitsConfirmation) {
    await pauseListings(tx, accountId);
    await updateListings(tx, now, before);
  } else await resumeListings(tx, accountId);
  return true;
}
