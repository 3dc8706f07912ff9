import { isClockSteady } from '#server/platform/lifecycle/clock.ts';
import { type Check, requireArchive, queryRows, fail, ok, warn } from './check.ts';

/** Clock skew in seconds for WARN, and for FAIL because action codes and sessions expire at the wrong time. */
const [warnSkewSeconds, failSkewSeconds] = [5, 60];

export const clockChecks: readonly Check[] = [
  {
    name: 'clock',
    needs: 'database',
    run: async (subject) => {
      const before = Date.now();
      const [row] = await queryRows<{ now: Date }>(subject, 'select clock_timestamp() as now');
      const here = (before + Date.now()) / 2;
      const seconds = Math.abs((row?.now.getTime() ?? here) - here) / 1000;
      if (seconds < warnSkewSeconds) return ok('This machine and the database have the same time.');
      const message = `The clocks of this machine and the database differ by ${Math.round(seconds)} seconds. Synchronize both with NTP.`;
      return seconds < failSkewSeconds ? warn(message) : fail(message);
    },
  },
  {
    name: 'time',
    needs: 'tables',
    run: async (subject) => {
      const [row] = await queryRows<{ ahead: number | null }>(
        subject,
        `select extract(epoch from greatest(
           (select max(created_at) from accounts), (select max(seen_at) from sessions),
           (select max(created_at) from notifications)) - now())::int as ahead`,
      );
      if ((row?.ahead ?? 0) > failSkewSeconds)
        return fail(
          `The newest stored time is ${row?.ahead} seconds in the future, so the clock was set back. Links and sessions expire at the wrong time. Correct the clock, then run: npm run archive -- jobs recreate`,
        );
      if (await isClockSteady(requireArchive(subject).context.db)) return ok('The clock is steady.');
      const [begun] = await queryRows<{ isNew: boolean }>(
        subject,
        `select begun > now() - interval '1 day' and begun <= now() and steady_since < begun + interval '1 minute' as "isNew"
         from clock, (select min(nullif(timestamp, '')::timestamptz) as begun from kysely_migration) as m`,
      );
      return begun?.isNew
        ? ok('The database is less than a day old. Until then, no old data are deleted.')
        : warn(
            'The clock jumped within the last day, or the server was stopped for a long time. No old data are deleted until the clock has been steady for a day. Check that the time is correct.',
          );
    },
  },
];
