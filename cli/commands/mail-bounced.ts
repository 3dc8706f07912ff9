import { Email } from '#contract/fields.ts';
import { countAccountsWithAddress, markMailFailed } from '#server/domain/mail/mail-failures.ts';
import { type Command, Failure } from '../support/command.ts';
import { withArchive } from '../support/with-archive.ts';

export const mailBounced: Command = {
  name: 'mail bounced',
  summary: 'Mark an address whose email bounced. The owner sees a message after signing in.',
  requiredArguments: ['ADDRESS'],
  options: { 'dry-run': { type: 'boolean', summary: 'print how many accounts would be marked, without marking them' } },
  description: [
    'If a mail server rejects an address at once, the address is marked automatically. Other servers accept the email and send a bounce message to MAIL_FROM later. If such a message says that the mailbox does not exist, run this command with the address that it names.',
    'The mark is removed automatically when a later email is accepted, when the owner opens a link in an email, or when the owner changes the address.',
  ],
  examples: ['ada@mail.example --dry-run', 'ada@mail.example'],
  run: async ({ args: [address = ''], flags }, { environment, print, printStatus }) => {
    const { data: email } = Email.safeParse(address);
    if (email === undefined) throw new Failure(`"${address}" is not a valid email address. Example: ada@mail.example`);
    await withArchive(environment, async (archive) => {
      const { db } = archive.context;
      const isDryRun = flags.has('dry-run');
      const count = isDryRun ? await countAccountsWithAddress(db, email) : await markMailFailed(db, email, 'reported');
      if (count === 0) throw new Failure('No account has this address or is changing to it. Nothing was changed.');
      if (isDryRun) {
        print(`${count === 1 ? 'One account' : `${count} accounts`} would be marked.`);
        printStatus('Dry run: nothing was changed.');
        return;
      }
      print('Marked. At the next visit, the owner sees that email to this address cannot be delivered.');
    });
  },
};
