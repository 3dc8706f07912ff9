import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import type { HiddenReason, AnnouncementKind } from '../db/schema.ts';
import { notify } from './notify.ts';
import { findPerson, updateListings, pauseListings, resumeListings } from './people.ts';

/*
 * Profiles that are hidden from others until their owner signs in: of people who were imported from another system, and of accounts
 * that have not been used for long (decision 30). What their owner has chosen stays as it is.
 */

/**
 * Notes a sign-in: the account is in use, its profile is shown again, and no notice mail goes out any more. Call it in the
 * transaction that starts the session and holds the account.
 */
export async function recordSignIn(tx: Db, accountId: string): Promise<void> {
  const { rows } = await sql<{ reason: HiddenReason | null }>`
    update accounts as a set last_seen_at = now(), hidden_until_sign_in = null
    from (select id, hidden_until_sign_in as reason from accounts where id = ${accountId}) as before
    where a.id = before.id returning before.reason`.execute(tx);
  await tx.deleteFrom('notice_mails').where('account_id', '=', accountId).execute();
  const reason = rows[0]?.reason ?? null;
  if (reason === null) return;
  await resumeListings(tx, accountId);
  // The notification links to the profile as guests see it.
  if (reason === 'imported') await notify(tx, accountId, 'welcome');
}

/**
 * Hides a profile until its owner signs in. Call it in a transaction that holds the account.
 * @returns the name of the picture that others may have seen until now; null where there is none
 */
export async function hideUntilSignIn(tx: Db, accountId: string, reason: HiddenReason): Promise<string | null> {
  const before = await findPerson(tx, accountId);
  await tx.updateTable('accounts').set({ hidden_until_sign_in: reason }).where('id', '=', accountId).execute();
  if (!before) return null;
  await pauseListings(tx, accountId);
  await updateListings(tx, { ...before, awaitsSignIn: true }, before);
  return before.picture;
}

/** Asks for a mail to an account, at most once for each kind until the next sign-in. @returns whether it was not asked for before */
export async function requestAnnouncement(tx: Db, accountId: string, kind: AnnouncementKind): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('notice_mails')
    .values({ account_id: accountId, kind })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
