import type { Db } from '#server/db/client.ts';

/** For the help of every command that brings people over: nothing is kept of whoever has gone, so nothing knows them again. */
export const theGoneComeBack =
  'Whoever has deleted their account here since an earlier run comes back, listed as before: take them out of the file first.';

/** Whether anybody has an account here, so that an earlier run may have brought them. */
export async function hasPeople(db: Db): Promise<boolean> {
  const row = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** What has to be read before the result is believed. @param created how many are new here, or would be */
export const warningOf = (created: number, isDry: boolean): string =>
  isDry
    ? `New here would be: ${created}. If an earlier run has brought any of them, they have deleted their account since, and would come back: take them out of the file first.`
    : `New here: ${created}. If an earlier run had brought any of them, they had deleted their account since, and have come back: delete them again with "user delete".`;
