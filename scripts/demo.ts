import { parseArgs } from 'node:util';
import type { MembershipMode } from '#contract/membership.ts';
import { groupMembershipCode } from '#server/domain/membership/membership-codes.ts';
import { demoAccount, demoEnvironment, newcomerAccount, seedCampus } from '#server/seed/campus.ts';
import { demoCodes } from '#server/seed/roster.ts';
import { computeDemoCode, demoSetupKey, staffAccounts } from '#server/seed/staff.ts';
import { campusDomain, openIssuer, writeCampusSettings } from '#server/testing/campus.ts';
import { runUntilSignal } from '#server/main.ts';
import { buildIfStale } from './build-pages.ts';

/*
 * Starts a server with a campus of invented people. With `--confirmed`, the archive confirms its members: it has a
 * roster, claims and staff. With `--campus`, people can also sign in with a university account: a provider on this
 * machine has three. `--code` only prints the code that an authenticator app of its staff shows now.
 */

/** Fixed, because the address of the provider is part of what an account is connected with. */
const campusPort = 3001;

let mode: MembershipMode;
let environment: NodeJS.ProcessEnv;
let hasCampus: boolean;
try {
  const { values } = parseArgs({
    options: { confirmed: { type: 'boolean' }, code: { type: 'boolean' }, campus: { type: 'boolean' } },
  });
  if (values.code) {
    console.log(computeDemoCode());
    process.exit();
  }
  mode = values.confirmed ? 'confirmed' : 'open';
  environment = demoEnvironment(process.env, mode);
  hasCampus = values.campus === true;
  if (hasCampus) environment = { ...environment, ...(await startCampusProvider()) };
} catch (error) {
  console.error(`\n${(error as Error).message}\n\nUsage: npm run demo [-- [--confirmed] [--campus] | --code]`);
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
  if (hasCampus)
    member.push(`Or choose “Use your OUE account instead” at ${publicUrl}/login, and one of its three people`);
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

/** Starts an OpenID provider on this machine. @returns the settings that use it */
async function startCampusProvider(): Promise<NodeJS.ProcessEnv> {
  const provider = await openIssuer(campusPort);
  const invent = (sub: string, given_name: string, family_name: string, kind: string) => ({
    sub,
    email: `${sub}@${campusDomain}`,
    email_verified: true,
    given_name,
    family_name,
    affiliation: `${kind}@${campusDomain}`,
  });
  provider.people = {
    'Ada Okonjo, student': invent('ada', 'Ada', 'Okonjo', 'student'),
    'Chinedu Okafor, graduate': invent('chinedu', 'Chinedu', 'Okafor', 'alum'),
    'Bisi Adeyemi, staff': invent('bisi', 'Bisi', 'Adeyemi', 'staff'),
  };
  const settings = writeCampusSettings(provider.issuer, { affiliationClaim: 'affiliation', accountEndMonths: 6 });
  process.on('exit', settings.remove);
  return settings.environment;
}
