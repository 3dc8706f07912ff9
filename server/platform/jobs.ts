import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger, type Runner, run, runOnce, type Task, type TaskList, type WorkerEvents } from 'graphile-worker';
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

/** Something that happens by the clock, e.g. `17 3 * * *`: every night at 03:17 UTC. */
export interface Schedule {
  readonly name: string;
  readonly cron: string;
}

export interface Worker {
  /** Takes no more work, and waits a little for what is under way; what takes longer is handed back to the queue. */
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

/** Milliseconds until the queue is worked again after the database had gone. */
const pause = 1_000;

/**
 * Works the queue until stopped; what is under way is finished first. A database that goes ends the work of the library for
 * good: then it is begun again.
 */
export async function startWorker(
  pool: pg.Pool,
  tasks: TaskList,
  schedules: readonly Schedule[],
  log: Log,
): Promise<Worker> {
  const taskList = doneOnce(tasks);
  const ending = new AbortController();
  const { signal } = ending;
  /** Under which names jobs have been taken. */
  const pools: string[] = [];
  const events: WorkerEvents = new EventEmitter();
  events.on('pool:create', ({ workerPool }) => void pools.push(workerPool.id));
  const begin = () =>
    run({
      pgPool: pool,
      taskList,
      crontab: schedules.map(({ name, cron }) => `${cron} ${name}`).join('\n'),
      noHandleSignals: true,
      logger: quiet(log),
      events,
      // How a job has ended is written down in a batch of one: where that fails the runner ends, and not the process.
      preset: { worker: { concurrentJobs: 2, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    });
  /** Waits until it has ended, by itself or because it was stopped. */
  const watch = async (runner: Runner): Promise<void> => {
    const stop = () => void runner.stop().catch(() => undefined);
    signal.addEventListener('abort', stop);
    await runner.promise.catch(() => undefined);
    signal.removeEventListener('abort', stop);
  };
  /** @returns null when it is stopped meanwhile */
  const beginAgain = async (): Promise<Runner | null> => {
    while (!signal.aborted) {
      await wait(pause, undefined, { signal }).catch(() => undefined);
      try {
        // What it had taken would stay taken for four hours.
        const taken = [...pools];
        await pool.query('select graphile_worker.force_unlock_workers($1)', [taken]);
        pools.splice(0, taken.length);
        if (!signal.aborted) return await begin();
      } catch (error) {
        log.error({ err: error }, 'the queue cannot be worked; trying again');
      }
    }
    return null;
  };
  const work = async (first: Runner): Promise<void> => {
    for (let runner: Runner | null = first; runner; runner = await beginAgain()) {
      await watch(runner);
      if (!signal.aborted) log.error({}, 'the work on the queue has broken off; it is begun again');
    }
  };
  const working = work(await begin());
  return {
    stop: async () => {
      ending.abort();
      await working;
    },
  };
}

/** How many jobs that are done are remembered. */
const remembered = 1_000;

/** A job that was done, but could not be taken off the queue because the database had gone, is not done again by this process. */
function doneOnce(tasks: TaskList): TaskList {
  const done = new Set<string>();
  const once =
    (task: Task): Task =>
    async (payload, helpers) => {
      const { id } = helpers.job;
      if (done.has(id)) return;
      await task(payload, helpers);
      done.add(id);
      const [oldest] = done;
      if (done.size > remembered && oldest !== undefined) done.delete(oldest);
    };
  return Object.fromEntries(
    Object.entries(tasks).flatMap(([name, task]) => (task ? [[name, once(task as Task)] as const] : [])),
  );
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
