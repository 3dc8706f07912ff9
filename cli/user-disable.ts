import { disableAccount, enableAccount } from '#server/features/identity/disable-account.ts';
import type { Db } from '#server/db/client.ts';
import type { Command } from './command.ts';
import { requireAccount } from './find-account.ts';
import { openOperatorLog, operatorLogPath } from './operator-log.ts';
import { withArchive } from './with-archive.ts';

const dryRun = { 'dry-run': { type: 'boolean', summary: 'say what would be done, and do nothing' } } as const;

/** `user disable EMAIL` */
export const userDisable: Command = {
  name: 'user disable',
  summary: 'Switches an account off: nobody signs in to it, nobody sees the person. Nothing is lost.',
  takes: ['EMAIL'],
  options: dryRun,
  help: [
    'Every session, every sign-in that has been begun and every link that was mailed ends at once, in the running product too.',
    'The person is in no list, search, count or gallery; nobody can write to them; no mail goes to them; nobody can sign up with their address. Whoever signs in with the right password reads that the account is switched off.',
    'An id is taken in place of the address. "user enable" puts everything back as it was.',
  ],
  run: async ({ args: [named = ''], flags }, { environment, say }) => {
    await withArchive(environment, async (archive) => {
      const { db } = archive.context;
      const { id, email } = await requireAccount(db, named);
      if (flags.has('dry-run')) {
        say(await plan(db, id, email));
        return;
      }
      const wasOn = await disableAccount(archive.context, id, openOperatorLog(archive.config.dataDir));
      say(
        wasOn
          ? `${email} is switched off. Written down in ${operatorLogPath(archive.config.dataDir)}.`
          : `${email} was switched off already. Nothing was changed.`,
      );
    });
  },
};

/** `user enable EMAIL` */
export const userEnable: Command = {
  name: 'user enable',
  summary: 'Switches an account on again: everything is as it was.',
  takes: ['EMAIL'],
  options: dryRun,
  help: ['Its owner signs in again with what they had. An id is taken in place of the address.'],
  run: async ({ args: [named = ''], flags }, { environment, say }) => {
    await withArchive(environment, async (archive) => {
      const { db } = archive.context;
      const { id, email } = await requireAccount(db, named);
      if (flags.has('dry-run')) {
        const isOff = await isDisabled(db, id);
        say(isOff ? `${email} would be switched on.` : `${email} is on. There is nothing to do.`);
        return;
      }
      const wasOff = await enableAccount(archive.context, id, openOperatorLog(archive.config.dataDir));
      say(
        wasOff
          ? `${email} is switched on. Written down in ${operatorLogPath(archive.config.dataDir)}.`
          : `${email} was on already. Nothing was changed.`,
      );
    });
  },
};

async function isDisabled(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('accounts').select('disabled_at').where('id', '=', id).executeTakeFirst();
  return (row?.disabled_at ?? null) !== null;
}

async function plan(db: Db, id: string, email: string): Promise<string> {
  if (await isDisabled(db, id)) return `${email} is switched off already. There is nothing to do.`;
  const { sessions } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('sessions'))
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow();
  return `${email} would be switched off, and ${sessions === 1 ? 'one session' : `${sessions} sessions`} ended.`;
}
