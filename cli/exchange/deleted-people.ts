import { type DeletionJournal, appendEntries, makeEntry } from '#server/platform/deletion-journal.ts';
import type { Option } from '../command.ts';

/** The option of the import commands. */
export const includeDeleted: Readonly<Record<string, Option>> = {
  'include-deleted': { type: 'boolean', summary: 'imports people who deleted their account here too' },
};

/** A paragraph of their help. */
export const afterDeletion =
  'People who deleted their account here are left out and counted. To bring one of them back at their request, import a file that contains only that person, with --include-deleted.';

/** Returns the message about people who were left out. */
export const leftOut = (count: number): string =>
  `Left out because they deleted their account here: ${count}. To import them anyway, add --include-deleted`;

/** Cancels the deletion of a person who was imported on purpose, so that the next restore does not delete them again. */
export async function bringBack(
  dataDir: string,
  journal: DeletionJournal,
  person: { readonly accountId?: string | undefined; readonly email: string },
): Promise<void> {
  if (journal.find(person) === null) return;
  await appendEntries(dataDir, [await makeEntry(dataDir, 'returned', person)]);
}
