import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { endAccess } from '#server/domain/accounts/end-access.ts';
import { findPerson, pauseListings } from '#server/domain/people/people.ts';
import { renamePicture, findPictures, removeUnusedPictures } from '#server/domain/people/pictures.ts';

/*
 * An inactive account is hidden everywhere. Either the operator has disabled the account, or its deletion is pending.
 * The data stays (decisions 20 and 36).
 */

type Hide = (accountId: string) => Promise<void>;

/** Runs a transaction that may hide accounts. Then removes unused picture files, whether it commits or fails. */
export async function hidingTransaction<Result>(
  context: Context,
  work: (tx: Db, hide: Hide) => Promise<Result>,
): Promise<Result> {
  const [copies, gone]: [string[], string[]] = [[], []];
  try {
    const result = await context.db.transaction().execute((tx) =>
      work(tx, async (accountId) => {
        await endAccess(tx, accountId);
        const person = await findPerson(tx, accountId);
        if (person) await pauseListings(tx, person, { ...person, isDisabled: false });
        for (const picture of await findPictures(tx, accountId)) {
          const copy = await renamePicture(tx, context, picture, accountId);
          if (copy === null) continue;
          copies.push(copy);
          gone.push(picture);
        }
      }),
    );
    context.listCache.clear();
    await removeUnusedPictures(context, gone);
    return result;
  } catch (error) {
    await removeUnusedPictures(context, copies);
    throw error;
  }
}
