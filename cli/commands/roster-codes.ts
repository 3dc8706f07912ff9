import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { maxPrintedCodes } from '#contract/staff-codes.ts';
import { type CodeScope, countPrintableEntries, issuePrintedCodes } from '#server/domain/roster/printed-codes.ts';
import { createCodeSheet, slipsPerPage } from '#server/domain/roster/code-sheet/code-sheet.ts';
import { recordAuditEvent } from '#server/domain/audit-events.ts';
import { type Command, Failure, type Input } from '../support/command.ts';
import { describeFileError } from '../support/file-errors.ts';
import { openOperatorLog } from '../support/operator-log.ts';
import { withArchive } from '../support/with-archive.ts';

const defaultValidity = '12mo';

export const rosterCodes: Command = {
  name: 'roster codes',
  summary: 'Write a sheet of one-time codes to print and hand out in person.',
  options: {
    department: { type: 'string', valueName: 'NAME', summary: 'only for this department' },
    year: { type: 'string', valueName: 'YEAR', summary: 'only for this year of graduation' },
    import: { type: 'string', valueName: 'ID', summary: 'only for entries of this roster import' },
    out: { type: 'string', valueName: 'FILE', summary: 'the HTML file, by default roster-codes.html' },
    valid: {
      type: 'string',
      valueName: 'TIME',
      summary: `how long the codes are valid, by default ${defaultValidity}`,
    },
    'dry-run': { type: 'boolean', summary: 'print the number of codes, without creating them' },
  },
  description: [
    'Each person on the roster without a confirmed account gets a slip with a code. A page of A4 has eight slips. The code confirms the account that uses it: give each slip to its person only, and delete the file after printing.',
    'New codes replace the unused printed codes of the same people.',
  ],
  examples: ['--department "Computer Science" --year 2026', '--import 12 --out /var/backups/archive/codes.html'],
  run: (input, { environment, print, printStatus }) => {
    const { scope, validity } = readOptions(input);
    const path = resolve(input.values['out'] ?? 'roster-codes.html');
    return withArchive(environment, async ({ context: { db, institution, membershipCodes }, config }) => {
      if (!institution.acceptedEvidence.includes('printed-code'))
        throw new Failure(
          'The institution does not accept printed codes. Add "printed-code" to acceptedEvidence in institution.json.',
        );
      const entries = await countPrintableEntries(db, scope);
      if (entries === 0)
        throw new Failure(
          'The selection contains no one who is on the roster without a confirmed account. Choose another --department, --year or --import.',
        );
      if (entries > maxPrintedCodes)
        throw new Failure(
          `Your choice has ${entries} people, and one sheet has at most ${maxPrintedCodes} codes. Choose fewer with --department, --year or --import.`,
        );
      if (input.flags.has('dry-run')) {
        print(`Codes that would be created: ${entries}. Pages: ${Math.ceil(entries / slipsPerPage)}.`);
        printStatus('Dry run: nothing was changed.');
        return;
      }
      const log = openOperatorLog(config.dataDir);
      const { publicUrl } = config.http;
      createPrivateFile(path);
      try {
        const count = await db.transaction().execute(async (tx) => {
          const { slips, expiresAt } = await issuePrintedCodes(tx, membershipCodes, scope, validity, {
            printedBy: null,
          });
          // Before the commit: if the file cannot be written, the earlier codes must stay valid.
          writeFileSync(
            path,
            createCodeSheet(slips, { institution: institution.name, publicUrl, validUntil: expiresAt }),
          );
          return slips.length;
        });
        recordAuditEvent(log, 'codes printed by the operator', count);
        print(
          `Codes: ${count}. Pages: ${Math.ceil(count / slipsPerPage)}. Written to ${path}. The codes lead to ${publicUrl}/join.`,
        );
        print('Print the file with a browser on A4 paper at 100 %, then delete it.');
      } catch (error) {
        rmSync(path, { force: true });
        throw describeFileError(error, `Cannot write ${path}. No codes were created`);
      }
    });
  },
};

/** Creates an empty file that only its owner can read. @throws Failure when the file exists already, or cannot be created */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Failure(`${path} already exists. Delete it, or name another file with --out.`);
    throw describeFileError(error, `Cannot write ${path}. No codes were created`);
  }
}

/** Parses the options. @throws Failure when a value is invalid */
function readOptions({ values }: Input): { scope: CodeScope; validity: string } {
  const [, amount = '', unit = ''] = /^(\d{1,3})(mo|d)$/u.exec(values['valid'] ?? defaultValidity) ?? [];
  if (!(Number(amount) > 0)) throw new Failure('--valid takes a number of months or days, such as 12mo or 30d.');
  return {
    scope: {
      department: values['department'],
      year: readNumber(values['year'], '--year takes a year, such as 2026.'),
      importId: readNumber(values['import'], '--import takes the ID of an import, such as 12.'),
    },
    validity: `${amount} ${unit === 'mo' ? 'months' : 'days'}`,
  };
}

function readNumber(text: string | undefined, message: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/u.test(text)) throw new Failure(message);
  return Number(text);
}
