import { type Check, archiveOf, ask, ok } from './check.ts';

/** Accounts that are not used. */
export const accountChecks: readonly Check[] = [
  {
    about: 'unused',
    needs: 'tables',
    run: async (subject) => {
      const { hideUnusedAfterMonths: months } = archiveOf(subject).context.institution;
      const [row] = await ask<{ imported: number; hidden: number; mailed: number; unused: number }>(
        subject,
        `select count(*) filter (where hidden_until_sign_in = 'imported')::int as imported,
           count(*) filter (where hidden_until_sign_in = 'unused')::int as hidden,
           count(*) filter (where hidden_until_sign_in is null and exists (
             select from notice_mails where account_id = accounts.id and kind <> 'imported'))::int as mailed,
           count(*) filter (where last_seen_at < now() - make_interval(months => $1))::int as unused
         from accounts`,
        [months ?? 24],
      );
      const { imported = 0, hidden = 0, mailed = 0, unused = 0 } = row ?? {};
      return ok(
        `${unused} people have not used their account for ${months ?? 24} months. Hidden until they sign in: ${imported} imported, ${hidden} unused. ` +
          (months === undefined
            ? 'Unused accounts are not hidden, because hideUnusedAfterMonths is not set in the institution file.'
            : `${mailed} have been warned by mail that they will be hidden.`),
      );
    },
  },
];
