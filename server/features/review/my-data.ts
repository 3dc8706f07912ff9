import type { CollectMyData } from '../../domain/my-data.ts';

/**
 * Collects the notes that a member of staff has written about items of the review queue. Notes about the user are omitted, because they would
 * reveal what others have reported or claimed.
 */
export const collectReviewNotes: CollectMyData = async ({ db }, { account }) => {
  const notes = await db
    .selectFrom('review_notes')
    .select(['kind', 'text', 'created_at'])
    .where('author_id', '=', account.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  if (notes.length === 0) return {};
  return {
    account: {
      staffNotes: notes.map(({ kind, text, created_at }) => ({ kind, text, writtenAt: created_at })),
    },
  };
};
