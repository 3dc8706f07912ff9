import { readFile } from 'node:fs/promises';
import { canonicalizeEmail } from '#contract/fields.ts';
import { type MadeExport, findExportsInOrder, findMadeExport } from '#server/domain/staff/identify-export.ts';
import { type Command, Failure } from '../support/command.ts';
import { withArchive } from '../support/with-archive.ts';

/** Fewer rows are in the order of an export too often by chance: seven rows one time in 5,040. */
const minRows = 7;

export const exportsIdentify: Command = {
  name: 'exports identify',
  summary: 'Find out which export of the staff console a leaked list comes from.',
  requiredArguments: ['FILE'],
  description: [
    'Reads the id in the last line. Without it, compares the order of the rows with each export, by the first email address of each line. This needs at least seven rows in their original order, and accounts that still have these addresses.',
    'A list that was sorted fits no export. The result shows who requested the export, not who passed the list on.',
  ],
  examples: ['leaked.csv'],
  run: ({ args: [path = ''] }, { environment, print }) =>
    withArchive(environment, async ({ context: { db } }) => {
      const text = await readFile(path, 'utf8').catch(() => {
        throw new Failure(`"${path}" cannot be read.`);
      });
      const named = /Export (?<id>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/u.exec(text)?.groups?.['id'];
      const found = named === undefined ? null : await findMadeExport(db, named);
      if (found) {
        print(`The file names its export. ${describe(found)}`);
        return;
      }
      const emails = text.split(/\r?\n/u).flatMap((line) => /[^\s",;<>]+@[^\s",;<>]+/u.exec(line)?.[0] ?? []);
      const { known, exports } = await findExportsInOrder(db, emails.map(canonicalizeEmail));
      if (known < minRows)
        throw new Failure(`Only ${known} rows have the email address of an account. At least ${minRows} are needed.`);
      for (const one of exports) print(`${known} rows are in the order of this export. ${describe(one)}`);
      if (exports.length === 0)
        print('The rows are in the order of no export. They were sorted or mixed, or come from somewhere else.');
    }),
};

const describe = ({ id, madeAt, email, people }: MadeExport): string =>
  `Export ${id}, made on ${madeAt.toISOString().slice(0, 10)} with ${people} people, requested by ${email ?? 'a deleted account'}.`;
