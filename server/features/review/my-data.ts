import type { CollectMyData } from '#server/domain/my-data.ts';

/**
 * Collects the notes that a member of staff has written about items of the review queue. Notes about the user are
 * omitted, because they would reveal what others have reported or claimed.
 */
export const collectReviewNotes: CollectMyData = async ({ db }, { account }) => {
  const staffNotes = await db
    .selectFrom('review_notes')
    .select(['kind', 'text', 'created_at as writtenAt'])
    .where('author_id', '=', account.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return staffNotes.length === 0 ? {} : { account: { staffNotes } };
};
