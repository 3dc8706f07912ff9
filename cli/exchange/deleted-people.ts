import { type DeletionJournal, appendEntries, makeEntry } from '#server/platform/deletion-journal.ts';
import type { Option } from '../command.ts';

/** For the commands that bring people over. */
export const includeDeleted: Readonly<Record<string, Option>> = {
  'include-deleted': { type: 'boolean', summary: 'imports people who deleted their account here too' },
};

/** For the help of these commands. */
export const afterDeletion =
  'People who deleted their account here are left out and counted. To bring one of them back because they ask for it, import a file with that person alone with --include-deleted.';

/** What is said of those who were left out. */
export const leftOut = (count: number): string =>
  `Left out because they deleted their account here: ${count}. To import them all the same: --include-deleted`;

/** Takes the deletion of a person back who was imported on purpose, so that the next restore does not delete them. */
export async function bringBack(
  dataDir: string,
  journal: DeletionJournal,
  person: { readonly accountId?: string | undefined; readonly email: string },
): Promise<void> {
  if (journal.find(person) === null) return;
  await appendEntries(dataDir, [await makeEntry(dataDir, 'returned', person)]);
}
