import { resetSecondFactor } from '#server/features/identity/reset-second-factor.ts';
import { type Command, Failure } from './command.ts';
import { requireAccount } from './find-account.ts';
import { openOperatorLog, operatorLogPath } from './operator-log.ts';
import { factsOf } from './user-facts.ts';
import { factorsOf } from './user-show.ts';
import { withArchive } from './with-archive.ts';

/** `user reset-second-factor EMAIL` */
export const userResetSecondFactor: Command = {
  name: 'user reset-second-factor',
  summary: 'Takes the authenticator app, passkeys and recovery codes of somebody away who has lost them.',
  takes: ['EMAIL'],
  options: {
    'dry-run': { type: 'boolean', summary: 'say what would go, and change nothing' },
    yes: { type: 'boolean', summary: 'do it' },
  },
  help: [
    'Make sure first that it is them: a meeting, a video call, their file. A mail alone is what a thief of their mailbox would send.',
    'The password is asked for as before, and a verified address gets a mail that says what has been done. An id is taken in place of the address.',
  ],
  run: async ({ args: [named = ''], flags }, { environment, say }) => {
    await withArchive(environment, async (archive) => {
      const { id, email } = await requireAccount(archive.context.db, named);
      if (flags.has('dry-run') || !flags.has('yes')) {
        say(`${email} has: ${factorsOf(await factsOf(archive.context.db, id))}. All of it would go.`);
        if (flags.has('dry-run')) return;
        throw new Failure('Nothing was changed. To do it, add --yes.');
      }
      const had = await resetSecondFactor(archive.context, id, openOperatorLog(archive.config.dataDir));
      say(
        had
          ? `${email} signs in with the password alone from now on. Written down in ${operatorLogPath(archive.config.dataDir)}.`
          : `${email} has no second factor. Nothing was changed.`,
      );
    });
  },
};
