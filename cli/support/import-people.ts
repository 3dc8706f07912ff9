import { canonicalizeEmail } from '#contract/fields.ts';
import { type ImportOutcome, type ImportRules, importPerson } from '#server/domain/import-person.ts';
import { type IncomingPerson, NotImportable } from '#server/domain/incoming-person.ts';
import { sendAnnouncementsJob } from '#server/features/identity/jobs.ts';
import { type OpenArchive, openArchive } from '#server/startup/open-archive.ts';
import { recordAuditEvent } from '#server/domain/audit-events.ts';
import { readJournal } from '#server/domain/deletion-journal.ts';
import type { Input, Option, Tools } from './command.ts';
import { openOperatorLog, operatorLogPath } from './operator-log.ts';

/** One person as the reader of a file format finds them. */
export interface ImportRecord {
  /** Where it is in the files, for messages, such as `accounts.jsonl, line 3`. */
  readonly where: string;
  /** @throws NotImportable */
  readonly read: () => IncomingPerson | Promise<IncomingPerson>;
}

/** Returns a record that cannot be imported. @param reason a sentence */
export const unreadable = (where: string, reason: string): ImportRecord => ({
  where,
  read: () => {
    throw new NotImportable(reason);
  },
});

/** The options that every import command has. */
export const importOptions: Readonly<Record<string, Option>> = {
  'include-deleted': { type: 'boolean', summary: 'imports people who deleted their account here too' },
  'dry-run': { type: 'boolean', summary: 'checks everything and says what would happen, and writes nothing' },
};

/** The paragraphs that the help of every import command has. */
export const importHelp: readonly string[] = [
  'Each person is imported in one transaction. An error names a record that was not imported, a warning what was left out of one; all others are imported. Correct the files and run the command again.',
  'People who deleted their account here are left out and counted. To bring one of them back at their request, import a file that contains only that person, with --include-deleted.',
  'The exit code is 1 if there are errors or warnings.',
];

/**
 * Imports the people whom a reader finds, and prints a report.
 * @param rules those of the command; `--include-deleted` and `--dry-run` are added here
 * @param read the reader, which gets the open archive
 * @param total the number of people; null if it is unknown
 * @returns the exit code
 */
export async function importPeople(
  { flags }: Pick<Input, 'flags'>,
  { environment, say, note, progress }: Tools,
  rules: ImportRules,
  read: (archive: OpenArchive) => AsyncIterable<ImportRecord>,
  total: number | null = null,
): Promise<number> {
  const isDryRun = flags.has('dry-run');
  const archive = await openArchive(environment, { begins: true });
  const { context, config } = archive;
  const counts: Record<ImportOutcome, number> = { created: 0, updated: 0, unchanged: 0, deleted: 0 };
  const errors: string[] = [];
  const warnings: string[] = [];
  try {
    using bar = progress(isDryRun ? 'Checking' : 'Importing', total);
    if (!isDryRun) recordAuditEvent(openOperatorLog(config.dataDir), 'people imported by the operator');
    const journal = await readJournal(config.dataDir);
    const seen = new Set<string>();
    const allRules = { ...rules, isDryRun, journal, includeDeleted: flags.has('include-deleted') };
    for await (const record of read(archive)) {
      bar.add();
      try {
        const person = await record.read();
        const email = canonicalizeEmail(person.account.email);
        if (seen.has(email)) throw new NotImportable('This address appears earlier in the files.');
        seen.add(email);
        const result = await importPerson(context, person, allRules);
        counts[result.outcome]++;
        warnings.push(...result.warnings.map((warning) => `${record.where}: warning: ${warning}`));
      } catch (error) {
        if (!(error instanceof NotImportable)) throw error;
        errors.push(`${record.where}: error: ${error.message}`);
      }
    }
    if (rules.isNotifying && !isDryRun)
      await sendAnnouncementsJob.queue(context.db, {}, { key: 'next', delaySeconds: 0 });
  } finally {
    for (const line of [...errors, ...warnings]) say(line);
    await archive.close();
  }
  const { created, updated, unchanged, deleted } = counts;
  if (deleted > 0)
    say(`Left out because they deleted their account here: ${deleted}. To import them anyway, add --include-deleted`);
  say(
    `${isDryRun ? 'Would be created' : 'Created'}: ${created}, updated: ${updated}, unchanged: ${unchanged}, errors: ${errors.length}, warnings: ${warnings.length}.`,
  );
  if (isDryRun) note('Nothing was changed.');
  else say(`Written down in ${operatorLogPath(config.dataDir)}.`);
  return errors.length + warnings.length > 0 ? 1 : 0;
}
