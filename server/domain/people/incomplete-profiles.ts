import { cleanAndTruncate } from '#contract/fields.ts';
import { type CareerColumns, emptyCareer } from '../careers/career.ts';
import { importedCareerColumns, readImportedCareer } from '../careers/incoming-career.ts';
import type { Db } from '#server/db/client.ts';

/*
 * Incomplete profiles: imported profiles that break a current rule. Only their owners see them, as prefilled values of
 * the onboarding.
 */

const maxFieldCodePoints = 2_000;

export const deleteIncompleteProfile = (tx: Db, accountId: string): Promise<IncompleteProfile | undefined> =>
  tx
    .deleteFrom('unfinished_profiles')
    .where('account_id', '=', accountId)
    .returning(['fields', 'picture'])
    .executeTakeFirst();

export interface IncompleteProfile {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly picture: string | null;
}

/**
 * Stores an incomplete profile in place of the previous one. Removes characters that jsonb refuses, such as NUL and
 * lone surrogates. Call it in a transaction.
 * @returns the name of the previous picture; null if there was none
 */
export async function saveIncompleteProfile(
  tx: Db,
  accountId: string,
  { fields, picture }: IncompleteProfile,
): Promise<string | null> {
  const before = await deleteIncompleteProfile(tx, accountId);
  const texts = Object.entries(fields).map(
    ([name, text]) =>
      [cleanAndTruncate(name, maxFieldCodePoints), cleanAndTruncate(String(text), maxFieldCodePoints)] as const,
  );
  await tx
    .insertInto('unfinished_profiles')
    .values({ account_id: accountId, fields: JSON.stringify(Object.fromEntries(texts)), picture })
    .execute();
  return before?.picture ?? null;
}

/** Returns the imported work and place, which the owner confirms after completing the profile. */
export function readKeptCareer(profile: IncompleteProfile | undefined): CareerColumns {
  const texts = importedCareerColumns.flatMap((name) => {
    const text = profile?.fields[name];
    return typeof text === 'string' ? [[name, text]] : [];
  });
  const career = readImportedCareer(Object.fromEntries(texts));
  return Array.isArray(career) ? emptyCareer : career;
}
