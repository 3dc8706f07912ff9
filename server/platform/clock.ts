import { statSync } from 'node:fs';
import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import { hastenJobs } from './jobs.ts';
import type { Log } from './log.ts';

/*
 * Small servers come up with a wrong clock, and clocks are set. Durations are measured by the process's own count
 * (performance.now); moments are the database's, and here it is seen whether those can be relied on (decision 24).
 */

/** Seconds that a clock may go back by, as it does when it is put right, before it counts as a jump. */
const backwards = 2 * 60;

/** Seconds ahead that count as a jump. A server may have been switched off for less. */
const ahead = 24 * 60 * 60;

/** Seconds that the clock has to have gone on without a jump before anything is deleted by it. */
const trial = 24 * 60 * 60;

/** Seconds by which transactions that began one after another may see each other's moments as to come. */
export const clockTolerance = 60;

export interface ClockReading {
  /** What the database takes for now. */
  readonly now: Date;
  /** Seconds since it was looked at before; less than nothing when it has gone back. */
  readonly moved: number;
  /** Seconds for which it has not jumped. */
  readonly steadyFor: number;
}

/** Looks at the database's clock, and writes down that it was looked at. */
export async function readClock(db: Db): Promise<ClockReading> {
  const { rows } = await sql<{ now: Date; moved: number; steady: number }>`
    update clock set seen_at = now(), steady_since = case
      when now() - before.seen_at between make_interval(secs => ${-backwards}) and make_interval(secs => ${ahead})
      then least(before.steady_since, now()) else now() end
    from (select seen_at, steady_since from clock for update) as before
    returning now() as now, extract(epoch from now() - before.seen_at)::float8 as moved,
      extract(epoch from now() - clock.steady_since)::float8 as steady`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The row of the clock is not there.');
  return { now: row.now, moved: row.moved, steadyFor: row.steady };
}

const hasJumped = ({ moved }: Pick<ClockReading, 'moved'>) => moved < -backwards || moved > ahead;

/**
 * Whether what is old by the clock may be deleted: not before the clock has gone on for a day without a jump. A clock that is
 * wrong for an hour would take away every session, code and message.
 */
export async function isClockSteady(db: Db): Promise<boolean> {
  // Only looked at: whoever watches the clock has to see each jump, to tell of it.
  const { rows } = await sql<{ moved: number; steady: number }>`
    select extract(epoch from now() - seen_at)::float8 as moved,
      extract(epoch from now() - steady_since)::float8 as steady from clock`.execute(db);
  return rows.some((row) => !hasJumped(row) && row.steady >= trial);
}

/** When a file was put where it is, less a day: it may come from a machine that is ahead of this one. */
export const installedAt = (file: string): Date => new Date(statSync(file).mtimeMs - trial * 1000);

interface Watching {
  readonly db: Db;
  readonly log: Log;
  /** A moment that has passed for certain, such as when this product was put here. */
  readonly passed: Date;
  /** Is called when the clock of this process has been set: whoever waits for an hour of the day has to wait anew. */
  readonly onSet: () => Promise<void>;
  /** Milliseconds between two looks. */
  readonly every?: number;
}

/** Milliseconds by which the clocks of process and database may differ, and the process's may be put right, without a word. */
const [mostApart, mostSet] = [30_000, 60_000];

/** Looks of this process at its own clock for each one at the database's. */
const looks = 6;

/** Milliseconds after which something that is still so is said once more. */
const silence = 60 * 60 * 1000;

/** Watches the clocks as long as the product runs, and tells the operator what is wrong with them. */
export async function watchClock({ db, log, passed, onSet, every = 10_000 }: Watching): Promise<{
  stop(): Promise<void>;
}> {
  const told = new Map<string, number>();
  const tell = (facts: object, text: string, level: 'warn' | 'error' = 'error') => {
    if (performance.now() - (told.get(text) ?? -Infinity) < silence) return;
    told.set(text, performance.now());
    log[level](facts, text);
  };
  const offset = () => Date.now() - performance.now();
  let known = offset();
  let isSet = false;
  let count = 0;

  async function lookAtDatabase(): Promise<void> {
    const [began, date] = [performance.now(), Date.now()];
    const reading = await readClock(db);
    const took = performance.now() - began;
    const apart = Math.abs(reading.now.getTime() - date - took / 2) - took / 2;
    if (apart > mostApart) {
      tell(
        { seconds: Math.round(apart / 1000) },
        'the clocks of this machine and of its database differ: put both right, by NTP. Codes of authenticator apps go by the one of this machine, everything else by that of the database',
      );
    }
    if (reading.now < passed) {
      tell(
        { now: reading.now },
        'the clock is wrong: it is before this product was put here. Put it right, by NTP; links and sign-ins of today may not work until then',
      );
    }
    const isFirst = count === 0;
    if (hasJumped(reading)) {
      const facts = { seconds: Math.round(reading.moved), now: reading.now };
      if (reading.moved < 0)
        log.error(facts, 'the clock has gone back. Nothing is deleted for a day; see that it is right now');
      else if (isFirst)
        log.warn(
          facts,
          'this server was away for more than a day, or its clock is wrong. Nothing is deleted for a day',
        );
      else log.error(facts, 'the clock has jumped ahead. Nothing is deleted for a day; see that it is right now');
    }
    if (isFirst || hasJumped(reading)) await hastenJobs(db);
  }

  async function look(): Promise<void> {
    if (Math.abs(offset() - known) > mostSet) {
      known = offset();
      isSet = true;
    }
    try {
      if (count % looks === 0 || isSet) await lookAtDatabase();
      count++;
      if (isSet) await onSet();
      isSet = false;
    } catch (error) {
      // The database is away; what is to be done is done the next time.
      tell({ err: error }, 'the clock could not be looked at', 'warn');
    }
  }

  await lookAtDatabase();
  count++;
  let looking = Promise.resolve();
  let isLooking = false;
  const timer = setInterval(() => {
    // A database that hangs is asked once, and not again for each time that has passed.
    if (isLooking) return;
    isLooking = true;
    looking = look().finally(() => {
      isLooking = false;
    });
  }, every);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
