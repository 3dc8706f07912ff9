import type { Context } from '#server/domain/context.ts';
import { deleteAccountById } from '#server/features/identity/account/delete-account.ts';
import { disableAccount, enableAccount } from '#server/features/identity/account/disable-account.ts';
import { resetSecondFactor } from '#server/features/identity/second-factor/reset-second-factor.ts';
import { signOutAccount, signOutEveryone } from '#server/features/identity/sessions/sign-out-accounts.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import type { Log } from '#server/platform/log/log.ts';
import { type Command, Failure, type Input, type Tools, confirmChange } from '../support/command.ts';
import { openOperatorLog, operatorLogPath } from '../support/operator-log.ts';
import { requireAccount } from '../support/require-account.ts';
import { describeAccount } from '../support/describe-account.ts';
import { withArchive } from '../support/with-archive.ts';

export const userShow: Command = {
  name: 'user show',
  summary: 'Show an account, e.g. to help a person who cannot sign in.',
  requiredArguments: ['EMAIL'],
  description: [
    'Passwords, codes and secrets are never shown. You can name the account by its ID instead of its address.',
  ],
  examples: ['ada@mail.example'],
  run: ({ args: [addressOrId = ''] }, { environment, print }) =>
    withArchive(environment, async ({ context: { db } }) => {
      const { id } = await requireAccount(db, addressOrId);
      for (const line of await describeAccount(db, id)) print(line);
    }),
};

const dryRunOption = {
  'dry-run': { type: 'boolean', summary: 'print the planned change, without making it' },
} as const;

interface AccountCommand extends Pick<Command, 'name' | 'summary'> {
  readonly help: readonly string[];
  readonly needsYes?: boolean;
  readonly apply: (context: Context, accountId: string, log: Log) => Promise<boolean | null>;
  /** Completes a sentence that starts with the address, for the planned change. */
  readonly planned: string;
  readonly done: string;
  readonly unchanged: string;
}

const createAccountCommand = ({
  needsYes = false,
  apply,
  planned,
  done,
  unchanged,
  help,
  ...nameAndSummary
}: AccountCommand): Command => ({
  ...nameAndSummary,
  requiredArguments: ['EMAIL'],
  options: { ...dryRunOption, ...(needsYes && { yes: { type: 'boolean', summary: 'make the change' } as const }) },
  description: [...help, 'You can name the account by its ID instead of its address.'],
  examples: ['ada@mail.example --dry-run', `ada@mail.example${needsYes ? ' --yes' : ''}`],
  run: (input, tools) =>
    withArchive(tools.environment, async ({ context, config: { dataDir } }) => {
      const { id, email } = await requireAccount(context.db, input.args[0] ?? '');
      const plan = async () => [`${email} ${planned}:`, ...(await describeAccount(context.db, id))].join('\n');
      if (!(await confirmChange(input, tools, needsYes, plan))) return;
      const isChanged = await apply(context, id, openOperatorLog(dataDir));
      tools.print(
        isChanged
          ? `${email} ${done}. Recorded in ${operatorLogPath(dataDir)}.`
          : `${email} ${unchanged}. Nothing was changed.`,
      );
    }),
});

export const userDisable = createAccountCommand({
  name: 'user disable',
  summary: 'Disable an account: no one can sign in, the profile is hidden. Reversible.',
  help: [
    'All sessions, unfinished sign-ins and emailed links of the account end at once, also in the running server.',
    'The person disappears from lists, search, counts and the gallery. No one can write to them or sign up with their address, and they get no emails. If they sign in with the right password, they read that the account is disabled.',
    'No data are deleted. "user enable" restores everything.',
  ],
  planned: 'would be disabled',
  apply: disableAccount,
  done: 'was disabled',
  unchanged: 'was already disabled',
});

export const userEnable = createAccountCommand({
  name: 'user enable',
  summary: 'Enable a disabled account again.',
  help: ['Everything is as before. The owner signs in with the same password and second factor.'],
  planned: 'would be enabled',
  apply: enableAccount,
  done: 'was enabled',
  unchanged: 'was already enabled',
});

export const userResetSecondFactor = createAccountCommand({
  name: 'user reset-second-factor',
  summary: 'Remove the authenticator app, passkeys and recovery codes of an account.',
  help: [
    'Use this for a person who lost their second factor. Verify their identity first, e.g. in a meeting, in a video call, or with their student record. Do not rely on an email alone: an attacker with access to the mailbox could send it.',
    'The password stays the same. If the address is verified, its owner gets an email about the change.',
  ],
  needsYes: true,
  planned: 'would lose the authenticator app, passkeys and recovery codes',
  apply: resetSecondFactor,
  done: 'now signs in with the password only',
  unchanged: 'has no second factor',
});

export const userDelete = createAccountCommand({
  name: 'user delete',
  summary: 'Delete an account with all its data. This cannot be undone.',
  help: [
    'This deletes the profile, photos, undelivered messages, notifications, sessions and search entries. If the address is verified, its owner gets an email about it.',
    'The account is deleted at once. If owners delete an account themselves within 30 days after a change of address, the deletion is pending: the account is hidden, and the old mailbox can still recover it. "user show" shows the date. This command does not wait for that date.',
    'Older backups still contain the data. You decide how long you keep backups. Restoring one deletes the account again.',
  ],
  needsYes: true,
  planned: 'would be deleted',
  apply: deleteAccountById,
  done: 'was deleted',
  unchanged: 'was already deleted',
});

const signOutOneAccount = createAccountCommand({
  name: 'user sign-out',
  summary: 'Sign out an account on all devices, or everyone with --all.',
  help: [
    'All sessions, and sign-ins that wait for a second factor, end at once, also in the running server. Afterwards every browser counts as new: its next sign-in sends a security email.',
    'Passwords are not changed, so anyone who knows a password can sign in again. To keep a person out, use "user disable".',
  ],
  apply: async (...account) => (await signOutAccount(...account)) !== null,
  planned: 'would be signed out',
  done: 'was signed out',
  unchanged: 'was already deleted',
});

export const userSignOut: Command = {
  ...signOutOneAccount,
  requiredArguments: [],
  optionalArguments: ['EMAIL'],
  options: {
    all: { type: 'boolean', summary: 'sign out everyone' },
    ...dryRunOption,
    yes: { type: 'boolean', summary: 'make the change (required with --all)' },
  },
  examples: ['ada@mail.example', '--all --dry-run', '--all --yes'],
  run: async (input, tools) => {
    const isAll = input.flags.has('all');
    if ((input.args.length === 0) !== isAll) throw new Failure('Missing argument: name an EMAIL, or add --all.');
    return isAll
      ? withArchive(tools.environment, (archive) => signOutAllAccounts(archive, input, tools))
      : signOutOneAccount.run(input, tools);
  },
};

async function signOutAllAccounts(
  { context, config: { dataDir } }: OpenArchive,
  input: Input,
  tools: Tools,
): Promise<void> {
  const count = context.db.selectFrom('sessions').select(({ fn }) => fn.countAll<number>().as('sessions'));
  const { sessions } = await count.executeTakeFirstOrThrow();
  if (!(await confirmChange(input, tools, true, async () => `Would end ${sessions} sessions of all accounts.`))) return;
  const ended = await signOutEveryone(context, openOperatorLog(dataDir));
  tools.print(`Signed out everyone: ended ${ended} sessions. Recorded in ${operatorLogPath(dataDir)}.`);
}
