import { deleteAccountById } from '#server/features/identity/delete-account.ts';
import { type Command, Failure } from './command.ts';
import { requireAccount } from './find-account.ts';
import { openOperatorLog, operatorLogPath } from './operator-log.ts';
import { factsOf } from './user-facts.ts';
import { withArchive } from './with-archive.ts';

/** `user delete EMAIL` */
export const userDelete: Command = {
  name: 'user delete',
  summary: 'Deletes an account with everything that belongs to it. There is no way back.',
  takes: ['EMAIL'],
  options: {
    'dry-run': { type: 'boolean', summary: 'say what would go, and delete nothing' },
    yes: { type: 'boolean', summary: 'do it' },
  },
  help: [
    'Deletes the profile, photos, messages that wait, notices, sessions, and what the search knows of them. A verified address gets the mail that says so.',
    'This happens at once, even while an old address is held. When the owner deletes such an account in the settings, it is only hidden until the hold ends (30 days after a change of address), and the old mailbox can restore it until then. "user show" shows the date.',
    'What was deleted is still in backups: how long you keep those is yours to decide. Restoring one deletes the account again. An id is taken in place of the address.',
  ],
  run: async ({ args: [named = ''], flags }, { environment, say }) => {
    await withArchive(environment, async (archive) => {
      const { id, email } = await requireAccount(archive.context.db, named);
      if (flags.has('dry-run') || !flags.has('yes')) {
        const { profile, photos, sessions, messages, notices, jobs } = await factsOf(archive.context.db, id);
        say(`${email} would be deleted, with:`);
        say(`  profile           ${profile ?? 'none'}`);
        for (const [what, count] of Object.entries({ photos, sessions, messages, notices, 'jobs that wait': jobs }))
          say(`  ${what.padEnd(16)}  ${count}`);
        if (flags.has('dry-run')) return;
        throw new Failure('Nothing was deleted. To do it, add --yes.');
      }
      await deleteAccountById(archive.context, id, openOperatorLog(archive.config.dataDir));
      say(`${email} is deleted. Written down in ${operatorLogPath(archive.config.dataDir)}.`);
    });
  },
};
