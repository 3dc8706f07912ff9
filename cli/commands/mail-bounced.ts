import { Email } from '#contract/fields.ts';
import { countAccountsWithAddress, markMailFailed } from '#server/domain/mail-failures.ts';
import { type Command, Failure } from '../support/command.ts';
import { withArchive } from '../support/with-archive.ts';

/** `mail bounced`: for mails that were taken and came back to the office later. */
export const mailBounced: Command = {
  name: 'mail bounced',
  summary: 'Marks an address from which a mail has come back, and tells its owner when they sign in.',
  takes: ['ADDRESS'],
  options: { 'dry-run': { type: 'boolean', summary: 'says how many accounts would be marked, and marks none' } },
  help: [
    'Where a mail server refuses an address at once, this happens by itself. Some take the mail first and send it back later, to the address in MAIL_FROM: when such a mail says that there is no such mailbox, call this with the address that it names.',
    'The mark goes by itself when a later mail is taken, the owner follows a link in one, or changes the address.',
  ],
  run: async ({ args: [address = ''], flags }, { environment, say, note }) => {
    const { data: email } = Email.safeParse(address);
    if (email === undefined) throw new Failure(`"${address}" is not an address, e.g. ada@mail.example.`);
    await withArchive(environment, async (archive) => {
      const { db } = archive.context;
      const isDry = flags.has('dry-run');
      const count = isDry ? await countAccountsWithAddress(db, email) : await markMailFailed(db, email, 'reported');
      if (count === 0)
        throw new Failure('No account has this address, and none is to be moved to it. Nothing was changed.');
      if (isDry) {
        say(`${count === 1 ? 'One account' : `${count} accounts`} would be marked.`);
        note('Nothing was changed.');
        return;
      }
      say('Marked. Whoever has this address reads at their next visit that mail does not get there.');
    });
  },
};
