import { type Check, requireArchive, queryRows, ok } from './check.ts';

/** Checks for unused accounts. */
export const accountChecks: readonly Check[] = [
  {
    name: 'unused',
    needs: 'tables',
    run: async (subject) => {
      const { hideUnusedAfterMonths: months } = requireArchive(subject).context.institution;
      const [row] = await queryRows<{ imported: number; hidden: number; mailed: number; unused: number }>(
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
        `${unused} accounts have not been used for ${months ?? 24} months. Hidden until the next sign-in: ${imported} imported and ${hidden} unused profiles. ` +
          (months === undefined
            ? 'Unused profiles are not hidden, because hideUnusedAfterMonths is not set in the institution file.'
            : `${mailed} owners were warned by email that their profile will be hidden.`),
      );
    },
  },
];
