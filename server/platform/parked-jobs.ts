import type pg from 'pg';

/** A job that has not been done at the first try, as the operator sees it: without what it is about. */
export interface TroubledJob {
  readonly id: string;
  readonly task: string;
  readonly attempts: number;
  readonly maxAttempts: number;
  /** In words that can be shown: addresses and codes are taken out before they are kept. */
  readonly lastError: string | null;
  readonly since: Date;
  /** When it is tried again; null where nobody will try it unless the operator says so. */
  readonly nextAttempt: Date | null;
  /** Whether this version has nothing that could do it: it was queued by another one. */
  readonly isUnknown: boolean;
}

const isParked = 'j.attempts >= j.max_attempts and j.locked_at is null';

/** @param known the names of all jobs that this version can do */
export async function findTroubledJobs(pool: pg.Pool, known: readonly string[]): Promise<TroubledJob[]> {
  const { rows } = await pool.query<TroubledJob>(
    `select j.id::text, t.identifier as task, j.attempts, j.max_attempts as "maxAttempts", j.last_error as "lastError",
       j.created_at as since, t.identifier <> all($1) as "isUnknown",
       case when j.attempts < j.max_attempts and t.identifier = any($1) then j.run_at end as "nextAttempt"
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where (j.attempts > 0 and j.locked_at is null) or t.identifier <> all($1)
     order by "nextAttempt" nulls first, j.id`,
    [known],
  );
  return rows;
}

/** A job by its name alone. */
export interface NamedJob {
  readonly id: string;
  readonly task: string;
}

/** What a try again concerns. */
const isRetried = (id: string | null): string =>
  id === null ? isParked : 'j.id = $1::bigint and j.attempts > 0 and j.locked_at is null';

const isDropped = 'j.id = $1::bigint and j.locked_at is null';

/** The jobs that `retryJobs` would try again. */
export const findRetried = (pool: pg.Pool, id: string | null): Promise<NamedJob[]> =>
  findNamed(pool, isRetried(id), id === null ? [] : [id]);

/** The job that `dropJob` would take out, if there is one. */
export const findDropped = (pool: pg.Pool, id: string): Promise<NamedJob[]> => findNamed(pool, isDropped, [id]);

async function findNamed(pool: pg.Pool, isMeant: string, values: readonly string[]): Promise<NamedJob[]> {
  const { rows } = await pool.query<NamedJob>(
    `select j.id::text, t.identifier as task
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where ${isMeant} order by j.id`,
    [...values],
  );
  return rows;
}

/**
 * Tries jobs again at once that were given up, or that wait for their next attempt.
 * @param id of all that were given up with null
 * @returns how many
 */
export async function retryJobs(pool: pg.Pool, id: string | null): Promise<number> {
  const { rowCount } = await pool.query(
    `update graphile_worker._private_jobs j set attempts = 0, run_at = now()
     where ${isRetried(id)}`,
    id === null ? [] : [id],
  );
  return rowCount ?? 0;
}

/** Takes a job out of the queue, not one that is being done. @returns whether it was there */
export async function dropJob(pool: pg.Pool, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(`delete from graphile_worker._private_jobs j where ${isDropped}`, [id]);
  return rowCount === 1;
}
