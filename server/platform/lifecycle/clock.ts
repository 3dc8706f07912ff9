import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { Log } from '../log/log.ts';

/*
 * After a jump of the database clock, old data is not deleted for a day (decision 41). Otherwise a clock that is wrong
 * for an hour would delete every session, code and message.
 */

/**
 * Smallest differences between two readings that count as a jump. NTP corrections and short outages stay below them.
 */
const [maxBackwardSeconds, maxForwardSeconds] = [2 * 60, 24 * 60 * 60];

const steadyAfterSeconds = 24 * 60 * 60;

const hasJumped = sql<boolean>`
  (now() - clock.seen_at not between make_interval(secs => ${-maxBackwardSeconds}) and make_interval(secs => ${maxForwardSeconds}))`;

/** Returns whether the clock has not jumped for a day. Only then may rows be deleted by age. */
export async function isClockSteady(db: Db): Promise<boolean> {
  const { rows } = await sql<{ isSteady: boolean }>`
    select not ${hasJumped} and now() - steady_since >= make_interval(secs => ${steadyAfterSeconds}) as "isSteady"
    from clock`.execute(db);
  return rows[0]?.isSteady ?? false;
}

/**
 * Records a reading of the database clock.
 * @param onJump runs when the clock has jumped, before the jump is recorded, so that a failed run is repeated. Receives
 *   the jump in seconds, negative for backward jumps
 */
export async function recordClock(db: Db, onJump: (seconds: number) => Promise<void> = async () => undefined) {
  const { rows: steady } = await sql`
    update clock set seen_at = now(), steady_since = least(steady_since, now())
    where not ${hasJumped} returning 1`.execute(db);
  if (steady.length > 0) return;
  await db.transaction().execute(async (tx) => {
    // If several servers detect the jump concurrently, the first one handles it and the others wait.
    const { rows } = await sql<{ jump: number }>`
      select extract(epoch from now() - seen_at)::float8 as jump from clock where ${hasJumped} for update`.execute(tx);
    for (const { jump } of rows) {
      await onJump(jump);
      await sql`update clock set seen_at = now(), steady_since = now()`.execute(tx);
    }
  });
}

interface WatchOptions {
  readonly db: Db;
  readonly log: Log;
  readonly onJump: () => Promise<void>;
  readonly intervalMs?: number;
}

export async function watchClock({
  db,
  log,
  onJump,
  intervalMs = 60_000,
}: WatchOptions): Promise<{ stop(): Promise<void> }> {
  const checkClock = () =>
    recordClock(db, async (jump) => {
      const seconds = Math.round(jump);
      if (jump < 0)
        log.error(
          { seconds },
          'Clock jumped backward. Old data is not deleted for one day. Once the clock is right, run: npm run archive -- jobs recreate',
        );
      else
        log.warn(
          { seconds },
          'Clock jumped forward, or the server was down for more than a day. Old data is not deleted for one day',
        );
      await onJump();
    }).catch((error: unknown) => log.warn({ err: error }, 'Reading the database clock failed'));
  await checkClock();
  let runningCheck: Promise<void> | null = null;
  const timer = setInterval(() => {
    runningCheck ??= checkClock().finally(() => {
      runningCheck = null;
    });
  }, intervalMs).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await runningCheck;
    },
  };
}
