import type { CollectMyData } from '#server/domain/my-data.ts';
import { findProposedTexts } from '#server/domain/roster/corrections.ts';

/** Omits the names of the people whom the corrections are about. */
export const collectCorrections: CollectMyData = async ({ db }, { account }) => {
  const proposedCorrections = await findProposedTexts(db, account.id);
  return proposedCorrections.length === 0 ? {} : { account: { proposedCorrections } };
};
