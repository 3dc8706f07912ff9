import type { Db } from '../../db/client.ts';
import { picturePath } from '../../platform/media/media.ts';

/**
 * What was brought over of a profile from another system, and breaks a rule of today: the fields of the onboarding by their
 * names, and the picture by its path.
 * @returns null where there is nothing
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
