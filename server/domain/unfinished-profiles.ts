import type { Db } from '../db/client.ts';

/*
 * Profiles that were brought over from elsewhere and break a rule of today: their owners alone see them, when they complete
 * their own.
 */

/** Takes it away. Belongs into a transaction. @returns the name of its picture */
export async function dropUnfinished(tx: Db, accountId: string): Promise<string | null> {
  const row = await tx
    .deleteFrom('unfinished_profiles')
    .where('account_id', '=', accountId)
    .returning('picture')
    .executeTakeFirst();
  return row?.picture ?? null;
}

interface Unfinished {
  /** Of the onboarding, by their names. */
  readonly fields: Readonly<Record<string, string>>;
  /** Its name in the media folder. */
  readonly picture: string | null;
}

/** Writes it in the place of the one before. Belongs into a transaction. @returns the name of that one's picture */
export async function putUnfinished(
  tx: Db,
  accountId: string,
  { fields, picture }: Unfinished,
): Promise<string | null> {
  const before = await dropUnfinished(tx, accountId);
  await tx
    .insertInto('unfinished_profiles')
    .values({ account_id: accountId, fields: JSON.stringify(fields), picture })
    .execute();
  return before;
}
