import { demoAccount, demoEnvironment, seedCampus } from '#server/seed/campus.ts';
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
      if (!existing) await seedCampus(context, { people: 2_000, portraits: 160, say: console.log });
    },
  },
  () => `\nSign in as ${demoAccount.email} with the password ${demoAccount.password}`,
);
