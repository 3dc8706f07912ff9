import { type CollectMyData, jsonFile } from '#server/domain/my-data.ts';
import { findExportCount, findDisclosures } from './disclosures.ts';

export const collectStaffLooks: CollectMyData = async ({ db }, { account: { id } }) => {
  const [disclosures, exports] = [await findDisclosures(db, id), await findExportCount(db, id)];
  if (disclosures.length === 0 && exports.count === 0) return {};
  return {
    about: {
      'alumni-office.json':
        'When and why the alumni office looked at details that you hide, and how many exports contained you. Exports are lists that staff download. They contain only what members see of you.',
    },
    files: (async function* list() {
      yield jsonFile('alumni-office.json', { disclosures, downloadedLists: exports });
    })(),
  };
};
