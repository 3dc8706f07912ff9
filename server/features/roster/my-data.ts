import type { CollectMyData } from '../../domain/my-data.ts';
import { findProposedTexts } from '../../domain/roster/corrections.ts';

/** Collects the corrections that a member of staff has proposed, without the names of the people they are about. */
export const collectCorrections: CollectMyData = async ({ db }, { account }) => {
  const corrections = await findProposedTexts(db, account.id);
  if (corrections.length === 0) return {};
  return {
    account: {
      proposedCorrections: corrections.map(({ proposedAt, ...one }) => ({
        ...one,
        proposedAt,
      })),
    },
  };
};
