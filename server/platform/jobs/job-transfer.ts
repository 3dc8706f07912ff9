import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type JobInsert, type Db as SqlExecutor, fromKysely, getConstructionPlans } from 'pg-boss';
import type { Db } from '#server/db/client.ts';
import { bossOptions, connectQueue, createQueues, findJobs, queueNames } from './job-queue.ts';

export interface PortableJob {
  readonly id?: string;
  readonly identifier: string;
  readonly payload: unknown;
  readonly run_at: Date;
  readonly max_attempts: number;
  readonly key: string | null;
  /** Jobs with a lower number run first. */
  readonly priority: number;
  /** Equals `max_attempts` when the job has no attempts left, otherwise 0. */
  readonly attempts: number;
  readonly isRunning?: boolean;
}

export async function exportJobs(db: Db | SqlExecutor): Promise<PortableJob[]> {
  const boss = connectQueue(db);
  const jobs: PortableJob[] = [];
  if (!(await boss.isInstalled())) return jobs;
  for (const queue of queueNames) {
    for (const { id, data, startAfter, retryLimit, singletonKey, priority, state } of await findJobs(boss, queue)) {
      jobs.push({
        id,
        identifier: data.name,
        payload: data.payload,
        run_at: startAfter,
        max_attempts: retryLimit + 1,
        key: singletonKey,
        priority: -priority,
        attempts: state === 'failed' ? retryLimit + 1 : 0,
        isRunning: state === 'active',
      });
    }
  }
  return jobs;
}

/** Adds jobs to the queue with their full number of attempts. Jobs without attempts left stay failed. */
export async function importJobs(db: Db | SqlExecutor, jobs: readonly PortableJob[]): Promise<void> {
  const boss = connectQueue(db);
  for (let from = 0; from < jobs.length; from += batchSize) {
    const batch = jobs.slice(from, from + batchSize).map((job) => ({ ...job, id: job.id ?? randomUUID() }));
    for (const queue of queueNames) {
      const added = batch.filter(({ identifier }) => identifier.endsWith('-mail') === (queue === 'mail'));
      await boss.insert(queue, added.map(toInsert));
      for (const job of added.filter(hasFailed))
        await boss.fail(queue, job.id, { message: 'The job had no attempts left.' });
    }
  }
}

const batchSize = 1_000;

const hasFailed = ({ attempts, max_attempts: maxAttempts }: PortableJob): boolean => attempts >= maxAttempts;

const toInsert = (job: PortableJob & { readonly id: string }): JobInsert => ({
  id: job.id,
  data: { name: job.identifier, payload: job.payload },
  startAfter: job.run_at,
  priority: -job.priority,
  ...(job.key !== null && { singletonKey: job.key }),
  ...(hasFailed(job) && { retryLimit: 0 }),
});

export async function deleteAllJobs(db: Db): Promise<void> {
  for (const queue of queueNames) await connectQueue(db).deleteAllJobs(queue);
}

/** Maximum delay of a new job. A longer delay means that the clock was wrong. */
const maxDelaySeconds = 15 * 60;

/**
 * Repairs the queue after the clock has jumped backward. pg-boss compares the time with that of its last maintenance.
 * If the last maintenance is in the future, pg-boss does nothing until then. Therefore this function recreates the
 * queue with all jobs and schedules, in one transaction. Jobs with a delay that is too long become due immediately.
 * @returns the number of jobs
 */
export async function recreateQueue(db: Db): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await lockSchema(tx);
    const [before, now] = [connectQueue(tx), await readNow(tx)];
    const [jobs, schedules, queues] = [await exportJobs(tx), await before.getSchedules(), await before.getQueues()];
    await sql`drop schema ${sql.id(bossOptions.schema)} cascade`.execute(tx);
    const executor = withoutTransactions(fromKysely(tx));
    await executor.executeSql(getConstructionPlans(bossOptions.schema));
    const boss = connectQueue(executor);
    await createQueues(boss);
    // Includes pg-boss's internal queue for schedules.
    for (const { name } of queues) await boss.createQueue(name);
    const [latest, later] = [maxDelaySeconds, 120].map((seconds) => new Date(now.getTime() + seconds * 1000));
    await importJobs(
      executor,
      jobs.map((job) => {
        // A worker that is still running this job deletes it when it is done.
        if (job.isRunning) return { ...job, run_at: later ?? now };
        return latest && job.run_at > latest ? { ...job, run_at: now } : job;
      }),
    );
    for (const { name, cron, data, options } of schedules) await boss.schedule(name, cron, data ?? null, options ?? {});
    return jobs.length;
  });
}

async function readNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]?.now ?? new Date();
}

/** Locks all tables of the queue. Waits for open transactions that have added jobs, and blocks new ones. */
const lockSchema = (tx: Db) =>
  sql`
    do $$
    declare one regclass;
    begin
      for one in select oid::regclass from pg_class
        where relnamespace = ${sql.lit(bossOptions.schema)}::regnamespace and relkind in ('r', 'p') order by oid
      loop execute format('lock table %s in access exclusive mode', one);
      end loop;
    end $$`.execute(tx);

/** Removes BEGIN and COMMIT from the statements of pg-boss, so that they run in our transaction. */
const withoutTransactions = (executor: SqlExecutor): SqlExecutor => ({
  executeSql: (text, values) =>
    executor.executeSql(text.replace(/^\s*BEGIN;/u, '').replace(/COMMIT;\s*$/u, ''), values),
});
