import { Id, canonicalizeEmail } from '#contract/fields.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { deleteAccountById } from '#server/features/identity/account/delete-account.ts';
import { disableAccount, enableAccount } from '#server/features/identity/account/disable-account.ts';
import { resetSecondFactor } from '#server/features/identity/second-factor/reset-second-factor.ts';
import { signOutAccount, signOutEveryone } from '#server/features/identity/sessions/sign-out-accounts.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import type { Log } from '#server/platform/log/log.ts';
import { type Command, Failure, type Input, type Tools, confirm } from '../support/command.ts';
import { openOperatorLog, operatorLogPath } from '../support/operator-log.ts';
import { describeAccount } from '../support/describe-account.ts';
import { withArchive } from '../support/with-archive.ts';

export const userShow: Command = {
  name: 'user show',
  summary: 'Says what there is of an account: enough to help somebody who cannot sign in.',
  takes: ['EMAIL'],
  help: ['Never a password, a code or a secret. An id is taken in place of the address.'],
  run: ({ args: [named = ''] }, { environment, say }) =>
    withArchive(environment, async ({ context: { db } }) => {
      const { id } = await requireAccount(db, named);
      for (const line of await describeAccount(db, id)) say(line);
    }),
};

const dryRun = { 'dry-run': { type: 'boolean', summary: 'says what would be done, and changes nothing' } } as const;

/** A command that changes one account. */
interface AccountCommand extends Pick<Command, 'name' | 'summary'> {
  readonly help: readonly string[];
  readonly needsYes?: boolean;
  /** @returns whether anything was changed */
  readonly act: (context: Context, accountId: string, log: Log) => Promise<boolean | null>;
  /** Completes a sentence that begins with the address, if there is something to change. */
  readonly planned: string;
  /** Completes it after the change. */
  readonly done: string;
  /** Completes it if nothing was changed. */
  readonly unchanged: string;
}

const accountCommand = ({
  needsYes = false,
  act,
  planned,
  done,
  unchanged,
  help,
  ...named
}: AccountCommand): Command => ({
  ...named,
  takes: ['EMAIL'],
  options: { ...dryRun, ...(needsYes && { yes: { type: 'boolean', summary: 'does it' } as const }) },
  help: [...help, 'An id is taken in place of the address.'],
  run: (input, tools) =>
    withArchive(tools.environment, async ({ context, config: { dataDir } }) => {
      const { id, email } = await requireAccount(context.db, input.args[0] ?? '');
      const plan = async () => [`${email} ${planned}:`, ...(await describeAccount(context.db, id))].join('\n');
      if (!(await confirm(input, tools, needsYes, plan))) return;
      const isChanged = await act(context, id, openOperatorLog(dataDir));
      tools.say(
        isChanged
          ? `${email} ${done}. Written down in ${operatorLogPath(dataDir)}.`
          : `${email} ${unchanged}. Nothing was changed.`,
      );
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
  planned: 'would be switched off',
  act: disableAccount,
  done: 'is switched off',
  unchanged: 'was switched off already',
});

export const userEnable = accountCommand({
  name: 'user enable',
  summary: 'Switches an account on again: everything is as it was.',
  help: ['Its owner signs in again with what they had.'],
  planned: 'would be switched on',
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
  planned: 'would lose the authenticator app, passkeys and recovery codes',
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
  planned: 'would be deleted',
  act: deleteAccountById,
  done: 'is deleted',
  unchanged: 'was deleted already',
});

const signOutOne = accountCommand({
  name: 'user sign-out',
  summary: 'Ends every session of an account, or with --all of everybody: for the day after a break-in.',
  help: [
    'Sessions and sign-ins that wait for a second factor end at once, in the running product too. Every browser is a new one afterwards: a mail tells of its next sign-in.',
    'No password is changed: whoever knows one signs in again. "user disable" keeps somebody out.',
  ],
  act: async (...account) => (await signOutAccount(...account)) !== null,
  planned: 'would be signed out',
  done: 'is signed out',
  unchanged: 'was deleted already',
});

/** `user sign-out EMAIL`, `user sign-out --all` */
export const userSignOut: Command = {
  ...signOutOne,
  takes: [],
  optional: ['EMAIL'],
  options: {
    all: { type: 'boolean', summary: 'everybody' },
    ...dryRun,
    yes: { type: 'boolean', summary: 'with --all: does it' },
  },
  run: async (input, tools) => {
    const isAll = input.flags.has('all');
    if ((input.args.length === 0) !== isAll) throw new Failure('Say whom to sign out: an EMAIL, or --all.');
    return isAll
      ? withArchive(tools.environment, (archive) => signOutAll(archive, input, tools))
      : signOutOne.run(input, tools);
  },
};

async function signOutAll({ context, config: { dataDir } }: OpenArchive, input: Input, tools: Tools): Promise<void> {
  const count = context.db.selectFrom('sessions').select(({ fn }) => fn.countAll<number>().as('sessions'));
  const { sessions } = await count.executeTakeFirstOrThrow();
  if (!(await confirm(input, tools, true, async () => `Everybody would be signed out: ${sessions} sessions.`))) return;
  const ended = await signOutEveryone(context, openOperatorLog(dataDir));
  tools.say(`Everybody is signed out: ${ended} sessions. Written down in ${operatorLogPath(dataDir)}.`);
}

/**
 * The account with this address, in whatever spelling, or with this id.
 * @throws Failure when there is none
 */
async function requireAccount(db: Db, named: string): Promise<{ id: string; email: string }> {
  const id = Id.safeParse(named.toLowerCase());
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where((eb) => (id.success ? eb('id', '=', id.data) : eb('email', '=', canonicalizeEmail(named))))
    .executeTakeFirst();
  if (!account) {
    throw new Failure(
      `There is no account with the address or id "${named}". Ask its owner with which address they sign in.`,
    );
  }
  return account;
}
