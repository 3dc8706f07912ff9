import type { Context } from '../../domain/context.ts';
import { findPerson } from '../../domain/people.ts';
import { findPictures, removeUnusedPictures, renamePicture } from '../../domain/pictures.ts';
import { lockAccount } from '../../domain/sessions.ts';

/**
 * Gives all pictures of an account new URLs, because people who have seen them have the old ones. Does nothing if the account was confirmed
 * in the meantime.
 */
export async function withdrawPictures(context: Context, accountId: string): Promise<void> {
  const [copies, gone]: [string[], string[]] = [[], []];
  try {
    await context.db.transaction().execute(async (tx) => {
      await lockAccount(tx, accountId);
      if (!(await findPerson(tx, accountId))?.awaitsConfirmation) return;
      for (const picture of await findPictures(tx, accountId)) {
        const copy = await renamePicture(tx, context, picture, accountId);
        if (copy === null) continue;
        copies.push(copy);
        gone.push(picture);
      }
    });
    await removeUnusedPictures(context, gone);
  } catch (error) {
    await removeUnusedPictures(context, copies);
    throw error;
  }
}
