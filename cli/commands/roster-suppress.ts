import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import { appendEntries, createEntry } from '#server/domain/accounts/deletion-journal.ts';
import { findEntryByMatricKey } from '#server/domain/roster/claimed-entries.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { suppressEntry } from '#server/domain/roster/import/suppress-entry.ts';
import { type Command, Failure, confirmChange } from '../support/command.ts';
import { openOperatorLog, operatorLogPath } from '../support/operator-log.ts';
import { withArchive } from '../support/with-archive.ts';

export const rosterSuppress: Command = {
  name: 'roster suppress',
  summary: 'Empty the roster entry of a person who objects to it. This cannot be undone.',
  requiredArguments: ['MATRIC'],
  options: {
    'dry-run': { type: 'boolean', summary: 'print whether there is such an entry, without changing it' },
    yes: { type: 'boolean', summary: 'make the change' },
  },
  description: [
    'First verify that the person is the one on the roster. All values of the entry are deleted. Only the SHA-256 of the matric number stays, so that the next import does not add the person again.',
    'An account that is confirmed as this entry stays confirmed. To remove it, use "user delete".',
    'Older backups still contain the entry. Restoring one empties it again.',
  ],
  examples: ['CSC/15/0012 --dry-run', 'CSC/15/0012 --yes'],
  run: (input, tools) =>
    withArchive(tools.environment, async ({ context, config: { dataDir } }) => {
      const { db } = context;
      const [matricNumber = ''] = input.args;
      const matricKey = toMatricKey(matricNumber);
      const entryId = await findEntryByMatricKey(db, matricKey);
      if (entryId === null)
        throw new Failure(`There is no entry with the matric number "${matricNumber}" on the roster.`);
      if (!(await confirmChange(input, tools, true, () => `The entry of ${matricNumber} would be emptied.`))) return;
      const log = openOperatorLog(dataDir);
      await db.transaction().execute(async (tx) => {
        await suppressEntry(tx, entryId);
        await appendEntries(context, [await createEntry(dataDir, 'deleted', { matricKey })]);
      });
      recordAuditEvent(log, 'roster entry emptied by the operator');
      tools.print(`The entry of ${matricNumber} was emptied. Recorded in ${operatorLogPath(dataDir)}.`);
    }),
};
