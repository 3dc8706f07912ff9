import { parseArgs } from 'node:util';
import type { MembershipMode } from '#contract/membership.ts';
import { groupMembershipCode } from '#server/domain/membership/membership-codes.ts';
import { demoAccount, demoEnvironment, newcomerAccount, seedCampus } from '#server/seed/campus.ts';
import { demoCodes } from '#server/seed/roster.ts';
import { computeDemoCode, demoSetupKey, staffAccounts } from '#server/seed/staff.ts';
import { runUntilSignal } from '#server/main.ts';
import { buildIfStale } from './build-pages.ts';

/*
 * Starts a server with a campus of invented people. With `--confirmed`, the archive confirms its members: it has a
 * roster, claims and staff. `--code` only prints the code that an authenticator app of its staff shows now.
 */

let mode: MembershipMode;
let environment: NodeJS.ProcessEnv;
try {
  const { values } = parseArgs({ options: { confirmed: { type: 'boolean' }, code: { type: 'boolean' } } });
  if (values.code) {
    console.log(computeDemoCode());
    process.exit();
  }
  mode = values.confirmed ? 'confirmed' : 'open';
  environment = demoEnvironment(process.env, mode);
} catch (error) {
  console.error(`\n${(error as Error).message}\n\nUsage: npm run demo [-- --confirmed | --code]`);
  process.exit(1);
}
await buildIfStale(console.log);
await runUntilSignal(
  {
    environment,
    prepare: async (context) => {
      const { email } = demoAccount;
      const existing = await context.db
        .selectFrom('accounts')
        .select('id')
        .where('email', '=', email)
        .executeTakeFirst();
      const size = mode === 'confirmed' ? { people: 1_511, rosterEntries: 5_000 } : { people: 1_500 };
      if (!existing) await seedCampus(context, { ...size, portraits: 160, say: console.log });
    },
  },
  ({ context: { config } }) => describe(config.http.publicUrl),
);

function describe(publicUrl: string): string {
  const member = ['', `Sign in as ${demoAccount.email} with the password ${demoAccount.password}`];
  if (mode === 'open')
    return [
      ...member,
      `Or sign up with any email address at ${publicUrl}/signup: the email to verify it is at ${publicUrl}/dev/mail`,
      `For a demo that confirms its members, with staff: npm run demo -- --confirmed`,
    ].join('\n');
  return [
    ...member,
    `To confirm a membership, sign in as ${newcomerAccount.email} with the same password,`,
    `and use the printed code at ${publicUrl}/join/${groupMembershipCode(demoCodes[0])}`,
    `Codes for new accounts: ${demoCodes.slice(1).map(groupMembershipCode).join(', ')}`,
    '',
    `Staff console: ${publicUrl}/staff, for ${Object.values(staffAccounts).join(', ')}`,
    `They have the same password, and a second factor: "npm run demo -- --code" prints its current code.`,
    `Or add the setup key ${demoSetupKey} to an authenticator app.`,
  ].join('\n');
}
