import { findRefusedVouches } from '#server/features/membership/vouch-queries.ts';
import type { Command } from '../support/command.ts';
import { withArchive } from '../support/with-archive.ts';

export const vouchesRefused: Command = {
  name: 'vouches refused',
  summary: 'List the people about whom a member of their class answered “no” in the last 180 days.',
  description: [
    'A “no” has no effect: other members can still vouch for the person. Check people with several such answers, and those who are confirmed nevertheless.',
  ],
  examples: [''],
  run: (_, { environment, print }) =>
    withArchive(environment, async ({ context: { db } }) => {
      const refused = await findRefusedVouches(db);
      if (refused.length === 0) print('No member answered “no”.');
      for (const { claimantEmail, status, voucherEmail, answeredAt, yes, no } of refused)
        print(
          `${answeredAt.toISOString().slice(0, 'YYYY-MM-DD'.length)}  ${claimantEmail}  ${status}  “no” by ${voucherEmail}  (${yes} yes, ${no} no)`,
        );
    }),
};
