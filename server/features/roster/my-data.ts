import type { CollectMyData } from '#server/domain/my-data.ts';
import { findProposedTexts } from '#server/domain/roster/corrections.ts';

/** Collects the corrections that a member of staff has proposed, without the names of the people they are about. */
export const collectCorrections: CollectMyData = async ({ db }, { account }) => {
  const proposedCorrections = await findProposedTexts(db, account.id);
  return proposedCorrections.length === 0 ? {} : { account: { proposedCorrections } };
};
