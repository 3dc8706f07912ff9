import { demoAccount, seedCampus } from '#server/seed/campus.ts';
import { runUntilSignal } from '#server/main.ts';
import { buildIfStale } from './build-pages.ts';

/** A campus of its own, so that trying out never gets into the way of real data. */
const environment = { DATA_DIR: './demo-data', ...process.env };
await buildIfStale(console.log);
await runUntilSignal(
  {
    environment,
    prepare: async (context) => {
      const { email } = demoAccount;
      const isThere = await context.db
        .selectFrom('accounts')
        .select('id')
        .where('email', '=', email)
        .executeTakeFirst();
      if (!isThere) await seedCampus(context, { people: 2_000, portraits: 160, say: console.log });
    },
  },
  () => `\nSign in  ${demoAccount.email}  with the password  ${demoAccount.password}`,
);
