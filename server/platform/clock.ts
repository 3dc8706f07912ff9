import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import type { Log } from './log.ts';

/*
 * After the clock of the database has jumped, nothing is deleted by age for a day (decision 41). A clock that is wrong for
 * an hour would otherwise delete every session, code and message.
 */

/** Steps between two readings that count as a jump. NTP sets a clock back by less; a server may be switched off for less. */
const [maxBackwardSeconds, maxForwardSeconds] = [2 * 60, 24 * 60 * 60];

/** Seconds without a jump after which the clock is steady. */
const steadyAfterSeconds = 24 * 60 * 60;

const hasJumped = sql<boolean>`
  (now() - clock.seen_at not between make_interval(secs => ${-maxBackwardSeconds}) and make_interval(secs => ${maxForwardSeconds}))`;

/** Returns whether the clock has not jumped for a day, so that rows may be deleted by their age. */
export async function isClockSteady(db: Db): Promise<boolean> {
  const { rows } = await sql<{ isSteady: boolean }>`
    select not ${hasJumped} and now() - steady_since >= make_interval(secs => ${steadyAfterSeconds}) as "isSteady"
    from clock`.execute(db);
  return rows[0]?.isSteady ?? false;
}

/** Records a reading of the clock. Returns the seconds by which it has moved since the previous reading if it has jumped, else null. */
export async function recordClock(db: Db): Promise<number | null> {
  const { rows } = await sql<{ jump: number | null }>`
    with before as (
      select case when ${hasJumped} then extract(epoch from now() - seen_at)::float8 end as jump from clock for update)
    update clock set seen_at = now(), steady_since = case when jump is null then least(steady_since, now()) else now() end
    from before returning jump`.execute(db);
  return rows[0]?.jump ?? null;
}

interface Watch {
  readonly db: Db;
  readonly log: Log;
  /** Runs after each jump of the database's clock. */
  readonly onJump: () => Promise<void>;
  readonly intervalMs?: number;
}

/** Records the clock every minute until stopped, and logs its jumps. */
export async function watchClock({ db, log, onJump, intervalMs = 60_000 }: Watch): Promise<{ stop(): Promise<void> }> {
  /** Whether `onJump` has to run, perhaps again because it has failed. */
  let isJumpPending = false;

  async function look(): Promise<void> {
    const moved = await recordClock(db);
    if (moved !== null) {
      const seconds = Math.round(moved);
      if (moved < 0) log.error({ seconds }, 'The clock has gone back. Nothing is deleted by age for a day');
      else
        log.warn(
          { seconds },
          'The clock has jumped ahead, or the server was off for more than a day. Nothing is deleted by age for a day',
        );
      isJumpPending = true;
    }
    if (isJumpPending) await onJump();
    isJumpPending = false;
  }

  await look();
  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => log.warn({ err: error }, 'Reading the clock of the database failed'))
      .finally(() => {
        looking = null;
      });
  }, intervalMs).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
