import { canonicalizeEmail } from '#contract/fields.ts';
import { type ImportOutcome, type ImportRules, importPerson } from '#server/domain/people/import-person.ts';
import { type IncomingPerson, NotImportable } from '#server/domain/people/incoming-person.ts';
import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import { sendNoticesJob } from '#server/features/identity/jobs.ts';
import { type OpenArchive, openArchive } from '#server/startup/open-archive.ts';
import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import { readJournal } from '#server/domain/accounts/deletion-journal.ts';
import type { Input, Option, Tools } from './command.ts';
import { openOperatorLog, operatorLogPath } from './operator-log.ts';

export interface ImportRecord {
  /** Position in the files for error messages, e.g. `accounts.jsonl, line 3`. */
  readonly where: string;
  readonly read: () => IncomingPerson | Promise<IncomingPerson>;
}

export const unreadable = (where: string, reason: string): ImportRecord => ({
  where,
  read: () => {
    throw new NotImportable(reason);
  },
});

export const importOptions: Readonly<Record<string, Option>> = {
  'include-deleted': { type: 'boolean', summary: 'also import people who deleted their account here' },
  'dry-run': { type: 'boolean', summary: 'check the files and print the result, without changing anything' },
};

export const importHelp: readonly string[] = [
  'Each person is imported separately. An error means that a person was not imported. A warning means that a part of their data was left out. Everyone else is imported. Correct the files and run the command again.',
  'People who deleted their account here are skipped and counted. To import one of them at their request, use a file with only that person and add --include-deleted.',
  'In an archive that confirms its members, the new people are not members until each of them is confirmed here, even if another archive had confirmed them.',
  'The exit code is 1 if there are errors or warnings.',
];

/**
 * Imports people and prints a report.
 * @param rules import rules of the command; `--include-deleted` and `--dry-run` are added to them
 * @param read reads the people, given the open archive
 * @param total the number of people; null if it is unknown
 * @returns the exit code
 */
export async function importPeople(
  { flags }: Pick<Input, 'flags'>,
  { environment, print, printStatus, progress }: Tools,
  rules: ImportRules,
  read: (archive: OpenArchive) => AsyncIterable<ImportRecord>,
  total: number | null = null,
): Promise<number> {
  const isDryRun = flags.has('dry-run');
  const archive = await openArchive(environment, { canCreate: true });
  const { context, config } = archive;
  const counts: Record<ImportOutcome, number> = { created: 0, updated: 0, unchanged: 0, deleted: 0 };
  const errors: string[] = [];
  const warnings: string[] = [];
  let mustBeConfirmed = false;
  try {
    mustBeConfirmed = await requiresConfirmation(context.db);
    using bar = progress(isDryRun ? 'Checking' : 'Importing', total);
    if (!isDryRun) recordAuditEvent(openOperatorLog(config.dataDir), 'people imported by the operator');
    const journal = await readJournal(context);
    const seen = new Set<string>();
    const allRules = { ...rules, isDryRun, journal, includeDeleted: flags.has('include-deleted') };
    for await (const record of read(archive)) {
      bar.add();
      try {
        const person = await record.read();
        const email = canonicalizeEmail(person.account.email);
        if (seen.has(email)) throw new NotImportable('This email address appears earlier in the files.');
        seen.add(email);
        const result = await importPerson(context, person, allRules);
        counts[result.outcome]++;
        warnings.push(...result.warnings.map((warning) => `${record.where}: warning: ${warning}`));
      } catch (error) {
        if (!(error instanceof NotImportable)) throw error;
        errors.push(`${record.where}: error: ${error.message}`);
      }
    }
    if (rules.isNotifying && !isDryRun) await sendNoticesJob.queue(context.db, {}, { key: 'next', delaySeconds: 0 });
  } finally {
    for (const line of [...errors, ...warnings]) print(line);
    await archive.close();
  }
  const { created, updated, unchanged, deleted } = counts;
  if (deleted > 0)
    print(`Skipped because they deleted their account here: ${deleted}. To import them anyway, add --include-deleted.`);
  print(
    `${isDryRun ? 'Would be created' : 'Created'}: ${created}, updated: ${updated}, unchanged: ${unchanged}, errors: ${errors.length}, warnings: ${warnings.length}.`,
  );
  if (mustBeConfirmed && created > 0)
    print(`Unconfirmed: ${created}. This archive confirms its members, so each new person has to be confirmed here.`);
  if (isDryRun) printStatus('Dry run: nothing was changed.');
  else print(`Recorded in ${operatorLogPath(config.dataDir)}.`);
  return errors.length + warnings.length > 0 ? 1 : 0;
}
