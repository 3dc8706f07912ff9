import { countMemberships } from '#server/domain/membership/membership-mode.ts';
import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import { describeModeMismatch } from '#server/startup/membership-mode.ts';
import { type Check, requireArchive, queryRows, fail, ok } from './check.ts';

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
             select from notice_mails where account_id = accounts.id and kind in ('unused-first', 'unused-last')))::int as mailed,
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
  {
    name: 'membership',
    needs: 'tables',
    run: async (subject) => {
      const { db, institution } = requireArchive(subject).context;
      const mode = (await requiresConfirmation(db)) ? 'confirmed' : 'open';
      const { accounts, byStatus, inGrace } = await countMemberships(db);
      // An archive without any account, also without a profile, takes the mode of the file when it starts.
      if (mode !== institution.membership && (await queryRows(subject, 'select from accounts limit 1')).length > 0)
        return fail(`The server does not start: ${describeModeMismatch(institution, subject.config.institutionFile)}`);
      if (mode === 'open') return ok(`Open: no confirmation is required. ${accounts} people have a profile.`);
      const { confirmed, unconfirmed, disputed, rejected } = byStatus;
      return ok(
        `Confirmation is required. Confirmed: ${confirmed}, unconfirmed: ${unconfirmed} (${inGrace} in their grace period), disputed: ${disputed}, rejected: ${rejected}.`,
      );
    },
  },
];
