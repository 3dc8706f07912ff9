import { cleanAndTruncate } from '#contract/fields.ts';
import type { Db } from '../db/client.ts';

/*
 * Profiles that were brought over from elsewhere and break a rule of today: their owners alone see them, when they complete
 * their own.
 */

/** Characters that are kept of a field. */
const maxFieldCodePoints = 2_000;

/** Takes it away. Belongs into a transaction. @returns the name of its picture */
export async function deleteIncompleteProfile(tx: Db, accountId: string): Promise<string | null> {
  const row = await tx
    .deleteFrom('unfinished_profiles')
    .where('account_id', '=', accountId)
    .returning('picture')
    .executeTakeFirst();
  return row?.picture ?? null;
}

interface IncompleteProfile {
  /** Of the onboarding, by their names. */
  readonly fields: Readonly<Record<string, string>>;
  /** Its name in the media folder. */
  readonly picture: string | null;
}

/**
 * Writes it in the place of the one before. What was broken elsewhere may be anything: of its texts only what can be read is kept,
 * for jsonb takes neither NUL nor half a character. Belongs into a transaction.
 * @returns the name of the picture of the one before
 */
export async function saveIncompleteProfile(
  tx: Db,
  accountId: string,
  { fields, picture }: IncompleteProfile,
): Promise<string | null> {
  const before = await deleteIncompleteProfile(tx, accountId);
  const texts = Object.entries(fields).map(
    ([name, text]) => [cleanAndTruncate(name, maxFieldCodePoints), cleanAndTruncate(text, maxFieldCodePoints)] as const,
  );
  await tx
    .insertInto('unfinished_profiles')
    .values({ account_id: accountId, fields: JSON.stringify(Object.fromEntries(texts)), picture })
    .execute();
  return before;
}
