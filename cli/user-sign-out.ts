import type { Db } from '#server/db/client.ts';
import { signOutAccount, signOutEverybody } from '#server/features/identity/sign-out-accounts.ts';
import type { OpenArchive } from '#server/open-archive.ts';
import { type Command, Failure, type Tools } from './command.ts';
import { type NamedAccount, requireAccount } from './find-account.ts';
import { openOperatorLog, operatorLogPath } from './operator-log.ts';
import { withArchive } from './with-archive.ts';

/** `user sign-out EMAIL`, `user sign-out --all` */
export const userSignOut: Command = {
  name: 'user sign-out',
  summary: 'Ends every session of an account, or with --all of everybody: for the day after a break-in.',
  optional: ['EMAIL'],
  options: {
    all: { type: 'boolean', summary: 'everybody' },
    'dry-run': { type: 'boolean', summary: 'say how many sessions would be ended, and end none' },
    yes: { type: 'boolean', summary: 'with --all: do it' },
  },
  help: [
    'Sessions and sign-ins that wait for a second factor end at once, in the running product too. Every browser is a new one afterwards: a mail tells of its next sign-in.',
    'No password is changed: whoever knows one signs in again. "user disable" keeps somebody out. An id is taken in place of the address.',
  ],
  run: async ({ args: [named], flags }, { environment, say, note }) => {
    const isAll = flags.has('all');
    if ((named === undefined) !== isAll) throw new Failure('Say whom to sign out: an EMAIL, or --all.');
    await withArchive(environment, async (archive) => {
      const { db } = archive.context;
      const account = named === undefined ? null : await requireAccount(db, named);
      if (flags.has('dry-run') || (isAll && !flags.has('yes'))) {
        say(planOf(account, await countSessions(db, account)));
        if (!flags.has('dry-run')) throw new Failure('Nothing was changed. To do it, add --yes.');
        note('Nothing was changed.');
        return;
      }
      await signOut(archive, account, say);
    });
  },
};

/** @param account null for everybody */
async function signOut({ context, config }: OpenArchive, account: NamedAccount | null, say: Tools['say']) {
  const log = openOperatorLog(config.dataDir);
  const ended = account ? await signOutAccount(context, account.id, log) : await signOutEverybody(context, log);
  if (ended === null) throw new Failure('The account was deleted while this command looked for it.');
  const whose = account ? `${account.email} is` : 'Everybody is';
  say(`${whose} signed out: ${inWords(ended)} ended. Written down in ${operatorLogPath(config.dataDir)}.`);
}

const planOf = (account: NamedAccount | null, sessions: number): string =>
  `${account?.email ?? 'Everybody'} would be signed out: ${inWords(sessions)} ended.`;

const inWords = (sessions: number): string => (sessions === 1 ? 'one session' : `${sessions} sessions`);

async function countSessions(db: Db, account: NamedAccount | null): Promise<number> {
  let query = db.selectFrom('sessions').select(({ fn }) => fn.countAll<number>().as('count'));
  if (account) query = query.where('account_id', '=', account.id);
  return (await query.executeTakeFirstOrThrow()).count;
}
