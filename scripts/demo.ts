import { groupMembershipCode } from '#server/domain/membership-codes.ts';
import { demoAccount, demoEnvironment, newcomerAccount, seedCampus } from '#server/seed/campus.ts';
import { demoCodes } from '#server/seed/roster.ts';
import { demoSetupKey, staffAccounts } from '#server/seed/staff.ts';
import { runUntilSignal } from '#server/main.ts';
import { buildIfStale } from './build-pages.ts';

let environment;
try {
  environment = demoEnvironment(process.env);
} catch (error) {
  console.error(`\n${(error as Error).message}`);
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
      if (!existing)
        await seedCampus(context, { people: 1_511, portraits: 160, rosterEntries: 5_000, say: console.log });
    },
  },
  ({ context: { config } }) =>
    [
      '',
      `Sign in as ${demoAccount.email} with the password ${demoAccount.password}`,
      `To confirm a membership, sign in as ${newcomerAccount.email} with the same password,`,
      `and use the printed code at ${config.http.publicUrl}/join/${groupMembershipCode(demoCodes[0])}`,
      `Codes for new accounts: ${demoCodes.slice(1).map(groupMembershipCode).join(', ')}`,
      '',
      `Staff console: ${config.http.publicUrl}/staff, for ${Object.values(staffAccounts).join(', ')}`,
      `They have the same password, and a second factor: "npm run demo:code" prints its current code.`,
      `Or add the setup key ${demoSetupKey} to an authenticator app.`,
    ].join('\n'),
);
