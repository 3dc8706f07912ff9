import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { deleteAccountById } from '#server/features/identity/delete-account.ts';
import { disableAccount, enableAccount } from '#server/features/identity/disable-account.ts';
import { resetSecondFactor } from '#server/features/identity/reset-second-factor.ts';
import { signOutAccount, signOutEverybody } from '#server/features/identity/sign-out-accounts.ts';
import type { OpenArchive } from '#server/open-archive.ts';
import type { Log } from '#server/platform/log.ts';
import { type Command, Failure, type Input, type Tools } from './command.ts';
import { type NamedAccount, requireAccount } from './find-account.ts';
import { openOperatorLog, operatorLogPath } from './operator-log.ts';
import { factsOf } from './user-facts.ts';
import { factorsOf } from './user-show.ts';
import { withArchive } from './with-archive.ts';

interface Change {
  /** Whether nothing is changed without `--yes`. */
  readonly needsYes: boolean;
  /** Returns what would be done. */
  readonly plan: () => Promise<string>;
  /** @returns what was done, and whether that was a change */
  readonly act: (log: Log) => Promise<readonly [done: string, isChanged: boolean]>;
}

/** Makes a change and says so, or with `--dry-run` only says what would be changed. */
async function change(
  { config: { dataDir } }: OpenArchive,
  { flags }: Input,
  { say, note }: Tools,
  { needsYes, plan, act }: Change,
): Promise<void> {
  const isDry = flags.has('dry-run');
  if (isDry || (needsYes && !flags.has('yes'))) {
    say(await plan());
    if (!isDry) throw new Failure('Nothing was changed. To do it, add --yes.');
    note('Nothing was changed.');
    return;
  }
  const [done, isChanged] = await act(openOperatorLog(dataDir));
  say(`${done} ${isChanged ? `Written down in ${operatorLogPath(dataDir)}.` : 'Nothing was changed.'}`);
}

const dryRun = { 'dry-run': { type: 'boolean', summary: 'says what would be done, and changes nothing' } } as const;

/** A command that changes one account. */
interface AccountCommand extends Pick<Command, 'name' | 'summary'> {
  readonly help: readonly string[];
  readonly needsYes?: boolean;
  readonly plan: (db: Db, account: NamedAccount) => Promise<string>;
  /** @returns whether anything was changed */
  readonly act: (context: Context, accountId: string, log: Log) => Promise<boolean | null>;
  /** What is then true of the account. */
  readonly done: string;
  /** What is true of the account if nothing was changed. */
  readonly unchanged: string;
}

const accountCommand = ({ needsYes = false, plan, act, done, unchanged, help, ...named }: AccountCommand): Command => ({
  ...named,
  takes: ['EMAIL'],
  options: { ...dryRun, ...(needsYes && { yes: { type: 'boolean', summary: 'does it' } as const }) },
  help: [...help, 'An id is taken in place of the address.'],
  run: (input, tools) =>
    withArchive(tools.environment, async (archive) => {
      const account = await requireAccount(archive.context.db, input.args[0] ?? '');
      await change(archive, input, tools, {
        needsYes,
        plan: () => plan(archive.context.db, account),
        act: async (log) => {
          const isChanged = (await act(archive.context, account.id, log)) ?? false;
          return [`${account.email} ${isChanged ? done : unchanged}.`, isChanged];
        },
      });
    }),
});

export const userDisable = accountCommand({
  name: 'user disable',
  summary: 'Switches an account off: nobody signs in to it, nobody sees the person. Nothing is lost.',
  help: [
    'Every session, every sign-in that has been begun and every link that was mailed ends at once, in the running product too.',
    'The person is in no list, search, count or gallery; nobody can write to them; no mail goes to them; nobody can sign up with their address. Whoever signs in with the right password reads that the account is switched off.',
    '"user enable" puts everything back as it was.',
  ],
  plan: async (db, { id, email }) => {
    const { disabledAt, sessions } = await factsOf(db, id);
    return disabledAt
      ? `${email} is switched off already.`
      : `${email} would be switched off, and ${countOf(sessions)} ended.`;
  },
  act: disableAccount,
  done: 'is switched off',
  unchanged: 'was switched off already',
});

export const userEnable = accountCommand({
  name: 'user enable',
  summary: 'Switches an account on again: everything is as it was.',
  help: ['Its owner signs in again with what they had.'],
  plan: async (db, { id, email }) =>
    (await factsOf(db, id)).disabledAt ? `${email} would be switched on.` : `${email} is on.`,
  act: enableAccount,
  done: 'is switched on',
  unchanged: 'was on already',
});

export const userResetSecondFactor = accountCommand({
  name: 'user reset-second-factor',
  summary: 'Takes the authenticator app, passkeys and recovery codes of somebody away who has lost them.',
  help: [
    'Make sure first that it is them: a meeting, a video call, their file. A mail alone is what a thief of their mailbox would send.',
    'The password is asked for as before, and a verified address gets a mail that says what has been done.',
  ],
  needsYes: true,
  plan: async (db, { id, email }) => `${email} has: ${factorsOf(await factsOf(db, id))}. All of it would go.`,
  act: resetSecondFactor,
  done: 'signs in with the password alone from now on',
  unchanged: 'has no second factor',
});

export const userDelete = accountCommand({
  name: 'user delete',
  summary: 'Deletes an account with everything that belongs to it. There is no way back.',
  help: [
    'Deletes the profile, photos, messages that wait, notices, sessions, and what the search knows of them. A verified address gets the mail that says so.',
    'This happens at once, even while an old address is held. When the owner deletes such an account in the settings, it is only hidden until the hold ends (30 days after a change of address), and the old mailbox can restore it until then. "user show" shows the date.',
    'What was deleted is still in backups: how long you keep those is yours to decide. Restoring one deletes the account again.',
  ],
  needsYes: true,
  plan: async (db, { id, email }) => {
    const { profile, photos, sessions, messages, notices, jobs } = await factsOf(db, id);
    const counts = { profile: profile ?? 'none', photos, sessions, messages, notices, 'jobs that wait': jobs };
    const lines = Object.entries(counts).map(([what, count]) => `  ${what.padEnd(16)}  ${count}`);
    return [`${email} would be deleted, with:`, ...lines].join('\n');
  },
  act: deleteAccountById,
  done: 'is deleted',
  unchanged: 'was deleted already',
});

/** `user sign-out EMAIL`, `user sign-out --all` */
export const userSignOut: Command = {
  name: 'user sign-out',
  summary: 'Ends every session of an account, or with --all of everybody: for the day after a break-in.',
  optional: ['EMAIL'],
  options: {
    all: { type: 'boolean', summary: 'everybody' },
    ...dryRun,
    yes: { type: 'boolean', summary: 'with --all: does it' },
  },
  help: [
    'Sessions and sign-ins that wait for a second factor end at once, in the running product too. Every browser is a new one afterwards: a mail tells of its next sign-in.',
    'No password is changed: whoever knows one signs in again. "user disable" keeps somebody out. An id is taken in place of the address.',
  ],
  run: async (input, tools) => {
    const [named] = input.args;
    if ((named === undefined) !== input.flags.has('all'))
      throw new Failure('Say whom to sign out: an EMAIL, or --all.');
    await withArchive(tools.environment, async (archive) => {
      const { db } = archive.context;
      const account = named === undefined ? null : await requireAccount(db, named);
      await change(archive, input, tools, {
        needsYes: account === null,
        plan: async () => {
          const sessions = account ? (await factsOf(db, account.id)).sessions : await countSessions(db);
          return `${account?.email ?? 'Everybody'} would be signed out: ${countOf(sessions)} ended.`;
        },
        act: async (log) => {
          const ended = account
            ? await signOutAccount(archive.context, account.id, log)
            : await signOutEverybody(archive.context, log);
          return [
            `${account ? `${account.email} is` : 'Everybody is'} signed out: ${countOf(ended ?? 0)} ended.`,
            true,
          ];
        },
      });
    });
  },
};

const countOf = (sessions: number): string => (sessions === 1 ? 'one session' : `${sessions} sessions`);

async function countSessions(db: Db): Promise<number> {
  const query = db.selectFrom('sessions').select(({ fn }) => fn.countAll<number>().as('count'));
  return (await query.executeTakeFirstOrThrow()).count;
}
