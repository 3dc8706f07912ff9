import { type Check, ask, ok, warn } from './check.ts';

/** Open reports of messages. */
export const reportChecks: readonly Check[] = [
  {
    about: 'reports',
    needs: 'tables',
    run: async (subject) => {
      const [{ open, oldest } = { open: 0, oldest: null }] = await ask<{ open: number; oldest: Date | null }>(
        subject,
        'select count(*)::int as open, min(created_at) as oldest from reports where closed_at is null',
      );
      if (open === 0 || !oldest) return ok('none is open.');
      return warn(
        `${open === 1 ? 'One report by a member is' : `${open} reports by members are`} open, the oldest since ${oldest.toISOString().slice(0, 10)}. List them: npm run archive -- reports list`,
      );
    },
  },
];
