import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from './log.ts';

/**
 * A worker that is killed leaves its jobs locked, and the queue would wait four hours for it. So each process holds a lock
 * of the database for each of its workers, in a session that ends with it: whoever's lock can be taken is dead.
 */
export interface Vigil {
  /** From now on, this worker of ours counts as living. */
  watchOver(workerId: string): void;
  /**
   * Gives the jobs of dead workers back to the queue, and those that one of ours has taken without hearing of it.
   * @param signal ends it early
   */
  freeLostJobs(signal: AbortSignal): Promise<void>;
  /**
   * When our own workers have stopped. How their last jobs ended is written down without anybody waiting for it: without
   * this, a mail that has gone out would be sent again at the next start.
   */
  end(): Promise<void>;
}

interface Watched {
  readonly log: Log;
  /** Whether a job is being done by one of our own workers. */
  readonly isInHand: (jobId: string) => boolean;
  /** Milliseconds for which a worker has to be dead: a session that broke off is begun again sooner. */
  readonly deadFor: number;
}

/** Seconds for which a lock on a job is believed in any case. */
const belief = 60;

/** Milliseconds after which a session that broke off is begun again. */
const pause = 500;

/** Milliseconds in which the end of a job is written down. */
const writingTakes = 1_500;

/** The first key of our locks: no other use of this kind of lock has it. */
const space = 7_402_114;

/**
 * Seconds of silence, between two questions after it, and questions without an answer, after which the server ends our
 * session and its locks: a line that is cut says nothing, and the server's own patience is two hours.
 */
const keepalive = { idle: 30, interval: 10, count: 3 } as const;

const lockOf = (id: string) => `${space}, hashtext(${id})`;

interface Session {
  readonly client: pg.PoolClient;
  readonly leave: () => void;
}

/** Begins the watch. @param pool has to reach PostgreSQL directly: a pooler does not keep a session's locks */
export async function createVigil(pool: pg.Pool, { log, isInHand, deadFor }: Watched): Promise<Vigil> {
  const own: string[] = [];
  let session: Session | null = null;
  let [isEnding, isComingBack] = [false, false];
  /** Jobs that one of our workers had taken, and none was doing, when we last looked. */
  let unheard: readonly string[] = [];
  /** One thing after another: a session does not do two at once. */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const mine = turn.catch(() => undefined).then(async () => work((session ?? (await begin())).client));
    turn = mine;
    return mine;
  };
  const lock = (client: pg.PoolClient, id: string) => client.query(`select pg_advisory_lock(${lockOf('$1')})`, [id]);

  /** Opens the session and takes our locks; after one that broke off, anew. */
  async function begin(): Promise<Session> {
    const client = await pool.connect();
    let hasLeft = false;
    const leave = () => {
      // Once: its end may be noticed while it is being left.
      if (hasLeft) return;
      hasLeft = true;
      if (session?.client === client) session = null;
      // Closed, not given back: its locks end with it.
      client.release(true);
    };
    client.on('error', () => {
      leave();
      void comeBack();
    });
    const settings = Object.entries(keepalive).map(
      ([name, value]) => `set_config('tcp_keepalives_${name}', '${value}', false)`,
    );
    // If the session has broken off already, that is heard as above.
    await client.query(`select ${settings.join(', ')}`).catch(() => undefined);
    if (hasLeft) return begin();
    try {
      // The session before may still hold them, as long as the server has not noticed its end.
      for (const id of own) await lock(client, id);
    } catch (error) {
      leave();
      throw error;
    }
    session = { client, leave };
    return session;
  }

  const isMissed = () => !isEnding && session === null;

  /** At once: as long as nobody holds our locks, our workers seem dead to others. */
  async function comeBack(): Promise<void> {
    if (isComingBack) return;
    isComingBack = true;
    while (isMissed()) await inTurn(async () => undefined).catch(() => setTimeout(pause, undefined, { ref: false }));
    isComingBack = false;
  }

  /** Does something while a worker cannot come to life. @returns null when it lives */
  async function ifDead<T>(client: pg.PoolClient, id: string, work: () => Promise<T>): Promise<T | null> {
    const { rows } = await client.query<{ isDead: boolean }>(
      `select pg_try_advisory_lock(${lockOf('$1')}) as "isDead"`,
      [id],
    );
    if (!rows[0]?.isDead) return null;
    try {
      return await work();
    } finally {
      await client.query(`select pg_advisory_unlock(${lockOf('$1')})`, [id]);
    }
  }

  /** Which of the others who have had a job for long are dead. */
  const findDead = () =>
    inTurn(async (client) => {
      if (isEnding) return [];
      const { rows } = await client.query<{ id: string }>(
        `select distinct locked_by as id from graphile_worker._private_jobs
         where locked_at < now() - make_interval(secs => $1) and locked_by <> all($2)`,
        [belief, own],
      );
      const dead: string[] = [];
      for (const { id } of rows) await ifDead(client, id, async () => dead.push(id));
      return dead;
    });

  /** A job is taken, and the answer that says so can be lost with its connection: then its taker lives, and does not know of it. */
  const freeUnheard = () =>
    inTurn(async (client) => {
      if (isEnding) return;
      const { rows } = await client.query<{ id: string }>(
        `select id from graphile_worker._private_jobs
         where locked_at < now() - make_interval(secs => $1) and locked_by = any($2)`,
        [belief, own],
      );
      const idle = rows.map(({ id }) => id).filter((id) => !isInHand(id));
      // Twice in a row: how a job has ended is written down a moment after it is out of hand.
      const lost = idle.filter((id) => unheard.includes(id));
      unheard = idle.filter((id) => !lost.includes(id));
      if (lost.length > 0) await giveBack(client, { workers: own, jobs: lost, reason: 'unheard' }, log);
    });

  await inTurn(async () => undefined);
  return {
    watchOver: (workerId) => {
      own.push(workerId);
      inTurn((client) => lock(client, workerId)).catch((error: unknown) =>
        log.warn({ err: error }, 'a worker could not be watched over'),
      );
    },
    freeLostJobs: async (signal) => {
      const dead = await findDead();
      await freeUnheard();
      if (dead.length === 0) return;
      await setTimeout(deadFor, undefined, { signal }).catch(() => undefined);
      await inTurn(async (client) => {
        if (isEnding || signal.aborted) return;
        for (const id of dead)
          await ifDead(client, id, () => giveBack(client, { workers: [id], reason: 'ended' }, log));
      });
    },
    end: async () => {
      isEnding = true;
      const deadline = performance.now() + writingTakes;
      await inTurn(async (client) => {
        const isWriting = async () =>
          (await client.query('select from graphile_worker._private_jobs where locked_by = any($1) limit 1', [own]))
            .rowCount !== 0;
        while (await isWriting()) {
          if (performance.now() > deadline) await giveBack(client, { workers: own, reason: 'ended' }, log);
          else await setTimeout(20);
        }
      }).catch((error: unknown) => log.warn({ err: error }, 'how the last jobs ended may not have been written down'));
      session?.leave();
    },
  };
}

/** Frees what a killed start was working on, all of it: only for whoever has the database alone. */
export async function releaseJobs(pool: pg.Pool, log: Log): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    'select distinct locked_by as id from graphile_worker._private_jobs where locked_by is not null',
  );
  await giveBack(pool, { workers: rows.map(({ id }) => id), reason: 'ended' }, log);
}

/** Why jobs are given back, as it is kept with them. */
const reasons = {
  ended: 'The process ended while it was done.',
  'broken-off': 'The connection to the database broke off while it was done.',
  unheard: 'A connection to the database broke off before anybody had begun it.',
} as const;

interface GivenBack {
  readonly workers: readonly string[];
  /** Some of them only. */
  readonly jobs?: readonly string[];
  readonly reason: keyof typeof reasons;
}

/**
 * Gives the jobs of these workers back, all or some, to be tried again after a while as if they had failed: one of them may be
 * what has ended the process. The try that was cut off counts.
 */
export async function giveBack(
  db: Pick<pg.Pool, 'query'>,
  { workers, jobs, reason: kind }: GivenBack,
  log: Log,
): Promise<void> {
  const reason = reasons[kind];
  const { rows } = await db.query<{ id: string; attempts: number; max_attempts: number; task: string }>(
    `update graphile_worker._private_jobs j set locked_by = null, locked_at = null,
       run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second', last_error = $3
     from graphile_worker._private_tasks t
     where t.id = j.task_id and j.locked_by = any($1) and ($2::bigint[] is null or j.id = any($2))
     returning j.id, j.attempts, j.max_attempts, t.identifier as task`,
    [workers, jobs ?? null, reason],
  );
  for (const { id, attempts, max_attempts: of, task } of rows) {
    const words = { job: { id, task, attempt: attempts, of }, reason };
    if (attempts < of) log.warn(words, 'a job was cut off, and will be tried again');
    else log.error(words, 'a job was cut off for the last time: npm run archive -- jobs list');
  }
}
