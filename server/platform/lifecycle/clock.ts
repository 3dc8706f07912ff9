import { sql } from 'kysely';
import type { Db } from '../../db/client.ts';
import type { Log } from '../log/log.ts';

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

/**
 * Records a reading of the clock.
 * @param onJump runs before it is recorded that the clock has jumped, so that a failure is repeated; gets seconds, negative backwards
 */
export async function recordClock(db: Db, onJump: (seconds: number) => Promise<void> = async () => undefined) {
  const { rows: steady } = await sql`
    update clock set seen_at = now(), steady_since = least(steady_since, now()) where not ${hasJumped} returning 1`.execute(
    db,
  );
  if (steady.length > 0) return;
  await db.transaction().execute(async (tx) => {
    // Of several servers that notice the jump at once, the first one reacts to it, and the others wait.
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
  /** Runs after each jump of the database's clock, until it succeeds. Receives seconds, negative when the clock has gone back. */
  readonly onJump: (seconds: number) => Promise<void>;
  readonly intervalMs?: number;
}

/** Records the clock every minute until stopped, and logs its jumps. */
export async function watchClock({
  db,
  log,
  onJump,
  intervalMs = 60_000,
}: WatchOptions): Promise<{ stop(): Promise<void> }> {
  const checkClock = () =>
    recordClock(db, async (jump) => {
      const seconds = Math.round(jump);
      if (jump < 0) log.error({ seconds }, 'The clock has gone back. Nothing is deleted by age for a day');
      else
        log.warn(
          { seconds },
          'The clock has jumped ahead, or the server was off for more than a day. Nothing is deleted by age for a day',
        );
      await onJump(seconds);
    }).catch((error: unknown) => log.warn({ err: error }, 'Reading the clock of the database failed'));
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
