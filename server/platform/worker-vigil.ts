import type pg from 'pg';
import type { Log } from './log.ts';

/**
 * A worker that is killed leaves its jobs locked, and the queue would wait four hours for it. So each process holds a lock
 * of the database for each of its workers, in a session that ends with it: whoever's lock can be taken is dead.
 */
export interface Vigil {
  /** From now on, this worker of ours counts as living. */
  watchOver(workerId: string): void;
  /** Gives the jobs of dead workers back to the queue. @returns how many */
  freeJobsOfTheDead(): Promise<number>;
  end(): Promise<void>;
}

/** Seconds for which a lock on a job is believed in any case: a session that broke off may take so long to come again. */
const belief = 60;

/** The first key of our locks: no other use of this kind of lock has it. */
const space = 7_402_114;

const lockOf = (id: string) => `${space}, hashtext(${id})`;

/** Begins the watch. @param pool has to reach PostgreSQL directly: a pooler does not keep a session's locks */
export async function createVigil(pool: pg.Pool, log: Log): Promise<Vigil> {
  const own: string[] = [];
  let session: pg.PoolClient | null = null;
  let isEnding = false;

  /** Takes our locks; after a session that broke off, anew. */
  async function hold(): Promise<pg.PoolClient> {
    if (session) return session;
    const client = await pool.connect();
    client.once('error', () => {
      if (session === client) session = null;
      client.release(true);
    });
    session = client;
    for (const id of own) await lock(client, id);
    return client;
  }
  const lock = (client: pg.PoolClient, id: string) => client.query(`select pg_advisory_lock(${lockOf('$1')})`, [id]);

  await hold();
  return {
    watchOver: (workerId) => {
      own.push(workerId);
      if (session) {
        lock(session, workerId).catch((error: unknown) =>
          log.warn({ err: error }, 'a worker could not be watched over'),
        );
      }
    },
    freeJobsOfTheDead: async () => {
      if (isEnding) return 0;
      const client = await hold();
      const { rows } = await client.query<{ id: string }>(
        `select distinct locked_by as id from graphile_worker._private_jobs
         where locked_at < now() - make_interval(secs => $1) and locked_by <> all($2)`,
        [belief, own],
      );
      let freed = 0;
      for (const { id } of rows) {
        const { rows: answers } = await client.query<{ dead: boolean }>(
          `select pg_try_advisory_lock(${lockOf('$1')}) as dead`,
          [id],
        );
        if (!answers[0]?.dead) continue;
        try {
          freed += await freeJobs(client, [id], log);
        } finally {
          await client.query(`select pg_advisory_unlock(${lockOf('$1')})`, [id]);
        }
      }
      return freed;
    },
    end: async () => {
      isEnding = true;
      const client = session;
      session = null;
      client?.removeAllListeners('error');
      client?.on('error', () => undefined);
      // Closed, not given back: its locks end with it.
      client?.release(true);
    },
  };
}

/** Frees what a killed start was working on, all of it: only for whoever has the database alone. */
export async function releaseJobs(pool: pg.Pool, log: Log): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    'select distinct locked_by as id from graphile_worker._private_jobs where locked_by is not null',
  );
  await freeJobs(
    pool,
    rows.map(({ id }) => id),
    log,
  );
}

/**
 * Gives the jobs of these workers back, to be tried again after a while as if they had failed: one of them may be what
 * has ended the process. The try that was cut off counts.
 */
async function freeJobs(db: Pick<pg.Pool, 'query'>, workerIds: readonly string[], log: Log): Promise<number> {
  const { rows } = await db.query<{ id: string; attempts: number; max_attempts: number; task: string }>(
    `update graphile_worker._private_jobs j set locked_by = null, locked_at = null,
       run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second',
       last_error = 'The process ended while it was done.'
     from graphile_worker._private_tasks t
     where t.id = j.task_id and j.locked_by = any($1)
     returning j.id, j.attempts, j.max_attempts, t.identifier as task`,
    [workerIds],
  );
  for (const { id, attempts, max_attempts: of, task } of rows) {
    const words = { job: { id, task, attempt: attempts, of } };
    if (attempts < of) log.warn(words, 'a job was cut off by the end of its process, and will be tried again');
    else
      log.error(words, 'a job was cut off by the end of its process for the last time: npm run archive -- jobs list');
  }
  return rows.length;
}
