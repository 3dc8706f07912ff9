import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { findPerson } from '#server/domain/people/people.ts';
import { findPictures, removeUnusedPictures, renamePicture } from '#server/domain/people/pictures.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';

/**
 * Gives the pictures of an account that no one else sees any more new URLs, because people who have seen them have the
 * old ones. Does nothing if they are visible again.
 * @param photoId only this photo
 */
export async function withdrawPictures(context: Context, accountId: string, photoId?: string): Promise<void> {
  const [copies, gone]: [string[], string[]] = [[], []];
  try {
    await context.db.transaction().execute(async (tx) => {
      await lockAccount(tx, accountId);
      const withdrawn =
        photoId === undefined ? await findWithdrawnPictures(tx, accountId) : await findHiddenPicture(tx, photoId);
      for (const picture of withdrawn) {
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

/** Returns the pictures that only the owner sees: all, or only the portrait while staff hide the profile. */
async function findWithdrawnPictures(tx: Db, accountId: string): Promise<string[]> {
  const person = await findPerson(tx, accountId);
  if (person?.awaitsConfirmation || person?.isDisabled) return findPictures(tx, accountId);
  return person?.isHiddenByStaff && person.picture !== null ? [person.picture] : [];
}

async function findHiddenPicture(tx: Db, photoId: string): Promise<string[]> {
  const photos = await tx
    .selectFrom('photos')
    .select('picture')
    .where('id', '=', photoId)
    .where('moderation', 'is not', null)
    .execute();
  return photos.map(({ picture }) => picture);
}
