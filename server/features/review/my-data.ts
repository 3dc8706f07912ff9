import type { CollectMyData } from '#server/domain/my-data.ts';

/** Omits notes about the user, because they would reveal what others have reported or claimed. */
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
