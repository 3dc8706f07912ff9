import { sql } from 'kysely';
import { type Db, now } from '#server/db/client.ts';
import { namesAgree } from '../membership/identity-agreement.ts';
import { withRoster } from './tables.ts';

export async function findHolder(db: Db, entryId: number): Promise<string | null> {
  const row = await withRoster(db)
    .selectFrom('roster_links')
    .select('account_id')
    .where('entry_id', '=', entryId)
    .executeTakeFirst();
  return row?.account_id ?? null;
}

export async function findLinkedEntry(db: Db, accountId: string): Promise<number | null> {
  const row = await withRoster(db)
    .selectFrom('roster_links')
    .select('entry_id')
    .where('account_id', '=', accountId)
    .where('is_further', '=', false)
    .executeTakeFirst();
  return row?.entry_id ?? null;
}

export async function findLinkedEntries(db: Db, accountId: string): Promise<number[]> {
  const rows = await withRoster(db)
    .selectFrom('roster_links')
    .select('entry_id')
    .where('account_id', '=', accountId)
    .orderBy('is_further')
    .orderBy('entry_id')
    .execute();
  return rows.map(({ entry_id }) => entry_id);
}

/** Returns whether two entries can be of one person: the names agree, and the birth dates if both are known. */
export async function canBeOnePerson(db: Db, entryIds: readonly [number, number]): Promise<boolean> {
  const [one, other] = await withRoster(db)
    .selectFrom('roster_entries')
    .select(['first_name as firstName', 'last_name as lastName', 'birth_date as birthDate'])
    .where('id', 'in', [...entryIds])
    .execute();
  if (!one || !other || !namesAgree(one, other)) return false;
  return one.birthDate === null || other.birthDate === null || one.birthDate === other.birthDate;
}

/**
 * SQL condition on a row `l` of `roster_links`: whether no dispute about it is open. During a dispute, the entry may be
 * about another person.
 */
export const isUndisputedSql = `not exists (
  select from disputes d where d.entry_id = l.entry_id and d.holder_id = l.account_id and d.closed_at is null)`;

/**
 * Links an account to an entry.
 * @param isFurther whether the account is confirmed as another entry, and this one is a further degree of the person
 * @returns false if the entry or the account is already linked; waits for parallel transactions
 */
export async function linkEntry(tx: Db, entryId: number, accountId: string, isFurther = false): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await withRoster(tx)
    .insertInto('roster_links')
    .values({ entry_id: entryId, account_id: accountId, is_further: isFurther })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (!numInsertedOrUpdatedRows) return false;
  await withRoster(tx)
    .updateTable('roster_entries')
    .set({ member_left_at: null })
    .where('id', '=', entryId)
    .where('member_left_at', 'is not', null)
    .execute();
  return true;
}

export async function unlinkAccount(tx: Db, accountId: string, kept: readonly number[] = []): Promise<void> {
  await withRoster(tx)
    .deleteFrom('roster_links')
    .where('account_id', '=', accountId)
    .where('entry_id', '<>', sql<number>`all(${[...kept]}::bigint[])`)
    .execute();
}

/** Records that an entry is contested: from now on, only codes and staff confirm an account as this entry. */
export async function markContested(tx: Db, entryId: number): Promise<void> {
  await withRoster(tx).updateTable('roster_entries').set({ contested_at: now }).where('id', '=', entryId).execute();
}

/**
 * Marks an entry as contested, and deletes its unused mailed codes. From then on, only staff or a printed code confirm
 * an account as this entry.
 */
export async function blockAutomaticConfirmation(tx: Db, entryId: number): Promise<void> {
  await markContested(tx, entryId);
  await tx
    .deleteFrom('membership_codes')
    .where('entry_id', '=', entryId)
    .where('kind', '=', 'mailed')
    .where('used_at', 'is', null)
    .execute();
}

/**
 * Locks an entry for the rest of the transaction, so that parallel confirmations of one entry are serialized.
 * @returns false if the entry does not exist
 */
export async function lockEntry(tx: Db, entryId: number): Promise<boolean> {
  const row = await withRoster(tx)
    .selectFrom('roster_entries')
    .select('id')
    .where('id', '=', entryId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Records in an entry that its account is about to be deleted, so that the person is neither counted as missing nor
 * invited. The deletion removes the link, so that the entry can be claimed again. What staff wrote about the person is
 * deleted.
 */
export async function markMemberLeft(tx: Db, accountId: string): Promise<void> {
  await sql`delete from corrections where entry_id in (select entry_id from roster_links where account_id = ${accountId})`.execute(
    tx,
  );
  await withRoster(tx)
    .updateTable('roster_entries')
    .set({ member_left_at: now })
    .where('id', 'in', (eb) => eb.selectFrom('roster_links').select('entry_id').where('account_id', '=', accountId))
    .execute();
}

/**
 * SQL condition on a row `e` of `evidence`: whether it supports the confirmation of its account. Evidence for an entry
 * that another account holds confirms nothing.
 */
export const supportsConfirmationSql = `(e.withdrawn_at is null and (e.entry_id is null
  or exists (select from roster_links k where k.entry_id = e.entry_id and k.account_id = e.account_id)))`;

/**
 * Returns the key of the matric number of the entry that an account is confirmed as, or null. Only for comparisons:
 * never show it.
 */
export async function findLinkedMatricKey(db: Db, accountId: string): Promise<string | null> {
  const row = await withRoster(db)
    .selectFrom('roster_links as k')
    .innerJoin('roster_entries as e', 'e.id', 'k.entry_id')
    .select('e.matric_key')
    .where('k.account_id', '=', accountId)
    .where('k.is_further', '=', false)
    .executeTakeFirst();
  return row?.matric_key ?? null;
}
