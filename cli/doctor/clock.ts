import { isClockSteady } from '#server/platform/lifecycle/clock.ts';
import { type Check, archiveOf, ask, fail, ok, warn } from './check.ts';

/** Seconds by which clocks may differ: noticed, and in the way of codes and sessions. */
const [noticed, harmful] = [5, 60];

/** Clocks: this machine's, the database's, and what rows say. */
export const clockChecks: readonly Check[] = [
  {
    about: 'clock',
    needs: 'database',
    run: async (subject) => {
      const before = Date.now();
      const [row] = await ask<{ now: Date }>(subject, 'select clock_timestamp() as now');
      const here = (before + Date.now()) / 2;
      const seconds = Math.abs((row?.now.getTime() ?? here) - here) / 1000;
      if (seconds < noticed) return ok('this machine and the database agree.');
      const says = `This machine and the database are ${Math.round(seconds)} seconds apart. Let both take the time from the network (NTP).`;
      return seconds < harmful ? warn(says) : fail(says);
    },
  },
  {
    about: 'time',
    needs: 'tables',
    run: async (subject) => {
      const [row] = await ask<{ ahead: number | null }>(
        subject,
        `select extract(epoch from greatest(
           (select max(created_at) from accounts), (select max(seen_at) from sessions),
           (select max(created_at) from notifications)) - now())::int as ahead`,
      );
      if ((row?.ahead ?? 0) > harmful)
        return fail(
          `Something was written ${row?.ahead} seconds from now: the clock has been set back, and links and sessions end at the wrong time. Set it right.`,
        );
      if (await isClockSteady(archiveOf(subject).context.db)) return ok('goes forward.');
      const [begun] = await ask<{ isNew: boolean }>(
        subject,
        `select begun > now() - interval '1 day' and begun <= now() and steady_since < begun + interval '1 minute' as "isNew"
         from clock, (select nullif(timestamp, '')::timestamptz as begun from kysely_migration where name = '015-clock') as m`,
      );
      return begun?.isNew
        ? ok('goes forward, since less than a day: until then nothing is deleted for its age.')
        : warn(
            'It has jumped within the last day, or the product was away for long: nothing is deleted for its age until it has gone on for a day. See that it is right.',
          );
    },
  },
];
