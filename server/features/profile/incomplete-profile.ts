import type { Db } from '#server/db/client.ts';
import { picturePath } from '#server/domain/people/picture-sizes.ts';

/**
 * Returns the imported fields of an incomplete profile, keyed by form field, with the picture as its path. An imported
 * profile is incomplete when it breaks a rule of the profile form.
 * @returns null if the user has no incomplete profile
 */
export async function findIncompleteProfile(db: Db, accountId: string): Promise<Record<string, string> | null> {
  const row = await findRow(db, accountId);
  if (!row) return null;
  const fields = Object.fromEntries(
    Object.entries(row.fields).filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
  return { ...fields, ...(row.picture !== null && { imgURL: picturePath(row.picture, 384) }) };
}

const findRow = (db: Db, accountId: string) =>
  db
    .selectFrom('unfinished_profiles')
    .select(['fields', 'picture'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
