import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { type HiddenReason, type NoticeMailKind, campusMailKinds, graceMailKinds } from '#server/db/schema.ts';
import { notify } from '../notifications/notify.ts';
import { findPerson, pauseListings, resumeListings } from '../people/people.ts';

/*
 * Profiles that are hidden from others until their owner signs in (decision 30). They were imported, or their accounts
 * have not been used for a long time. The owner's own privacy choices do not change.
 */

/**
 * Records a sign-in: shows a hidden profile again and cancels requested notice mails, except those about a grace period
 * or the end of an address. Call it in the transaction that starts the session and locks the account.
 */
export async function recordSignIn(tx: Db, accountId: string): Promise<void> {
  const { rows } = await sql<{ reason: HiddenReason | null }>`
    update accounts as a set last_seen_at = now(), hidden_until_sign_in = null
    from (select id, hidden_until_sign_in as reason from accounts where id = ${accountId}) as before
    where a.id = before.id returning before.reason`.execute(tx);
  await tx
    .deleteFrom('notice_mails')
    .where('account_id', '=', accountId)
    .where('kind', 'not in', [...graceMailKinds, ...campusMailKinds])
    .execute();
  const reason = rows[0]?.reason ?? null;
  if (reason === null) return;
  await resumeListings(tx, accountId);
  // The notification links to the profile as guests see it.
  if (reason === 'imported') await notify(tx, accountId, 'welcome');
}

/**
 * Hides a profile until its owner signs in. Call it in a transaction that locks the account.
 * @returns the name of the profile picture, which other people may have seen; null if the profile has no picture
 */
export async function hideUntilSignIn(tx: Db, accountId: string, reason: HiddenReason): Promise<string | null> {
  const before = await findPerson(tx, accountId);
  await tx.updateTable('accounts').set({ hidden_until_sign_in: reason }).where('id', '=', accountId).execute();
  if (!before) return null;
  await pauseListings(tx, { ...before, awaitsSignIn: true }, before);
  return before.picture;
}

/** Requests a notice mail, at most one of each kind until the next sign-in. @returns whether the request is new */
export async function requestNoticeMail(tx: Db, accountId: string, kind: NoticeMailKind): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('notice_mails')
    .values({ account_id: accountId, kind })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
