import { Email } from '#contract/fields.ts';
import { countConcerned, markMailFailed } from '#server/domain/mail/mail-failures.ts';
import { type Command, Failure } from '../support/command.ts';
import { withArchive } from '../support/with-archive.ts';

export const mailBounced: Command = {
  name: 'mail bounced',
  summary: 'Mark an address whose email bounced. The owner sees a message after signing in.',
  requiredArguments: ['ADDRESS'],
  options: { 'dry-run': { type: 'boolean', summary: 'print what would be marked, without marking it' } },
  description: [
    'If a mail server rejects an address at once, the address is marked automatically. Other servers accept the email and send a bounce message to MAIL_FROM later. If such a message says that the mailbox does not exist, run this command with the address that it names. If the address is that of a roster entry, it no longer counts as asked about a claim, and gets no more invitations.',
    'The mark is removed automatically when a later email is accepted, when the owner opens a link in an email, or when the owner changes the address.',
  ],
  examples: ['ada@mail.example --dry-run', 'ada@mail.example'],
  run: async ({ args: [address = ''], flags }, { environment, print, printStatus }) => {
    const { data: email } = Email.safeParse(address);
    if (email === undefined) throw new Failure(`"${address}" is not a valid email address. Example: ada@mail.example`);
    await withArchive(environment, async (archive) => {
      const { db } = archive.context;
      const isDryRun = flags.has('dry-run');
      const { accounts, claims, invitations } = await (isDryRun
        ? countConcerned(db, email)
        : markMailFailed(db, email, 'reported'));
      if (accounts + claims + invitations === 0)
        throw new Failure(
          'No account has this address or is changing to it, and it was not asked about a claim or invited. Nothing was changed.',
        );
      if (isDryRun) {
        if (accounts > 0) print(`${accounts === 1 ? 'One account' : `${accounts} accounts`} would be marked.`);
        if (claims > 0) print(`Claims that would no longer count as asked: ${claims}.`);
        if (invitations > 0) print('The address would get no more invitations.');
        printStatus('Dry run: nothing was changed.');
        return;
      }
      if (accounts > 0)
        print('Marked. At the next visit, the owner sees that email to this address cannot be delivered.');
      if (claims > 0) print(`Claims that no longer count as asked: ${claims}. Staff decide them one by one.`);
      if (invitations > 0) print('The address gets no more invitations.');
    });
  },
};
