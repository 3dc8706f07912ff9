import { Logger, run, runOnce, type TaskList } from 'graphile-worker';
import { sql } from 'kysely';
import type pg from 'pg';
import type * as z from 'zod/mini';
import type { Db } from '../db/client.ts';
import type { Log } from './log.ts';

/** A kind of work that is done after the transaction which asked for it. */
export interface Job<Payload> {
  readonly name: string;
  /**
   * Queues the work in the caller's transaction: it happens if, and only if, that commits, and survives a crash.
   * @param gather waits so many seconds, in which further requests of the same key join the first one
   */
  queue(db: Db, payload: Payload, gather?: Gather): Promise<void>;
  /** Pairs the job with what does it, for the worker's list. */
  handle(work: (payload: Payload) => Promise<void>): TaskList;
}

interface Gather {
  readonly key: string;
  readonly seconds: number;
}

/** Attempts over about a day and a half: a mail server may be down over night. */
const maxAttempts = 14;

/** Defines a job once; who queues it and who does it agree on the payload. No secret belongs into a payload: it is stored. */
export function defineJob<Schema extends z.ZodMiniType>(name: string, schema: Schema): Job<z.output<Schema>> {
  return {
    name,
    queue: async (db, payload, gather) => {
      await sql`select graphile_worker.add_job(
        ${name}, ${JSON.stringify(payload)}::json, max_attempts := ${maxAttempts},
        run_at := now() + make_interval(secs => ${gather?.seconds ?? 0}),
        job_key := ${gather ? `${name} ${gather.key}` : null}::text, job_key_mode := 'preserve_run_at'
      )`.execute(db);
    },
    handle: (work) => ({ [name]: (payload) => work(schema.parse(payload)) }),
  };
}

/**
 * Takes back the jobs whose payload says one of these things, those included that wait for a further attempt: whoever is
 * deleted must not stand in the queue until then. The queue's public view leaves payloads out.
 */
export async function dropJobs(db: Db, payloads: readonly object[]): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs
    where payload::jsonb @> any(${payloads.map((payload) => JSON.stringify(payload))}::jsonb[])`.execute(db);
}

/**
 * Jobs that have failed for the last time would be kept for ever, with whatever stands in them.
 * @param only of this kind; of all without it
 */
export async function deleteFailedJobs(db: Db, only?: Pick<Job<unknown>, 'name'>): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs where attempts >= max_attempts and locked_at is null
    and (${only?.name ?? null}::text is null or task_id in (
      select id from graphile_worker._private_tasks where identifier = ${only?.name ?? null}))`.execute(db);
}

/**
 * Jobs and schedules that were written down by a clock that was ahead would wait until it is that late. What is put off for longer
 * than we ever do, a quarter of an hour at first and six hours between attempts, is done now.
 */
export async function hastenJobs(db: Db): Promise<void> {
  await sql`
    update graphile_worker._private_jobs set run_at = now()
    where locked_at is null
    and run_at > now() + case when attempts = 0 then interval '15 minutes' else interval '7 hours' end`.execute(db);
  // Four hours after that somebody else may take it.
  await sql`
    update graphile_worker._private_jobs set locked_at = now()
    where locked_at > now() + interval '15 minutes'`.execute(db);
  await sql`
    update graphile_worker._private_known_crontabs set last_execution = now()
    where last_execution > now() + interval '2 minutes'`.execute(db);
}

/** Something that happens by the clock, e.g. `17 3 * * *`: every night at 03:17 UTC. */
export interface Schedule {
  readonly name: string;
  readonly cron: string;
}

export interface Worker {
  stop(): Promise<void>;
}

/** What the worker's log hands over with a message about a job. */
interface JobMeta {
  readonly job?: { readonly id: string; readonly task_identifier: string; readonly attempts: number };
  readonly error?: unknown;
}

/** The worker's own chatter about every job would double our log; failures are what matters, without their payload. */
const quiet = (log: Log) =>
  new Logger(() => (level, message, meta) => {
    if (level !== 'error' && level !== 'warning') return;
    const { job, error } = (meta ?? {}) as JobMeta;
    const say = (words: object, text: string) => (level === 'error' ? log.error(words, text) : log.warn(words, text));
    if (!job) return say({}, message);
    return say(
      {
        job: { id: job.id, task: job.task_identifier, attempt: job.attempts, of: maxAttempts },
        reason: error instanceof Error ? error.message : message,
      },
      'a job failed',
    );
  });

/** Works the queue until stopped; what is under way is finished first. */
export async function startWorker(
  pool: pg.Pool,
  taskList: TaskList,
  schedules: readonly Schedule[],
  log: Log,
): Promise<Worker> {
  const runner = await run({
    pgPool: pool,
    taskList,
    crontab: schedules.map(({ name, cron }) => `${cron} ${name}`).join('\n'),
    concurrency: 2,
    noHandleSignals: true,
    logger: quiet(log),
  });
  return { stop: () => runner.stop() };
}

/**
 * Frees what a killed start was working on; otherwise it would wait for four hours, in which the worker could still be
 * alive elsewhere. Only for whoever has the database alone.
 */
export async function releaseJobs(pool: pg.Pool): Promise<void> {
  await pool.query(
    `select graphile_worker.force_unlock_workers(array(
       select distinct locked_by from graphile_worker.jobs where locked_by is not null))`,
  );
}

/** Works the queue until it is empty: for tests and commands. */
export async function workOff(pool: pg.Pool, taskList: TaskList, log: Log): Promise<void> {
  await runOnce({ pgPool: pool, taskList, noHandleSignals: true, logger: quiet(log) });
  // How a job has ended is written down without waiting for it: until then its row is locked.
  const isWriting = async () =>
    ((await pool.query('select from graphile_worker._private_jobs where locked_at is not null limit 1')).rowCount ??
      0) > 0;
  while (await isWriting());
}
