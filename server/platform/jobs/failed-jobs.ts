import { sql } from 'kysely';
import type { PgBoss } from 'pg-boss';
import type { Db } from '#server/db/client.ts';
import { type QueueName, type StoredJob, connectQueue, findJobs, queueNames, retryLimits } from './job-queue.ts';

export interface JobCounts {
  readonly task: string;
  readonly waiting: number;
  readonly retrying: number;
  readonly failed: number;
  readonly overdueSeconds: number;
}

const maxCountedJobs = 10_000;

export async function countJobs(db: Db): Promise<JobCounts[]> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db);
  const now = rows[0]?.now.getTime() ?? 0;
  const kinds = Map.groupBy(await findAll(connectQueue(db), maxCountedJobs), ({ job }) => job.data.name);
  return [...kinds].map(([task, found]) => {
    const open = found.filter(({ job }) => job.state !== 'failed').map(({ job }) => job);
    const retrying = open.filter(({ state, retryCount }) => state === 'retry' || retryCount > 0).length;
    const due = open.filter(({ state }) => state !== 'active');
    const oldest = Math.min(now, ...due.map(({ startAfter }) => startAfter.getTime()));
    return {
      task,
      waiting: open.length - retrying,
      retrying,
      failed: found.length - open.length,
      overdueSeconds: (now - oldest) / 1000,
    };
  });
}

export interface FailedJob {
  readonly id: string;
  readonly queue: QueueName;
  readonly task: string;
  readonly attempts: number;
  readonly maxAttempts: number;
  /** Message of the last error, without email addresses and codes. */
  readonly lastError: string | null;
  readonly since: Date;
  readonly nextAttempt: Date | null;
}

export async function findFailedJobs(db: Db): Promise<FailedJob[]> {
  const jobs = (await findAll(connectQueue(db))).filter(
    ({ job: { state } }) => state === 'failed' || state === 'retry',
  );
  return jobs
    .map(({ queue, job }) => ({
      id: job.id,
      queue,
      task: job.data.name,
      attempts: job.retryCount + 1,
      maxAttempts: job.retryLimit + 1,
      lastError: messageOf(job.output),
      since: job.createdOn,
      nextAttempt: job.state === 'retry' ? job.startAfter : null,
    }))
    .toSorted((one, other) => Number(one.nextAttempt ?? 0) - Number(other.nextAttempt ?? 0));
}

export async function findIdleJob(db: Db, id: string): Promise<{ queue: QueueName; job: StoredJob } | null> {
  const boss = connectQueue(db);
  for (const queue of queueNames) {
    const [job] = await boss.findJobs<StoredJob['data']>(queue, { id });
    if (job && job.state !== 'active') return { queue, job };
  }
  return null;
}

export async function retryJob(db: Db, { id, queue, attempts, nextAttempt }: FailedJob): Promise<void> {
  const boss = connectQueue(db);
  if (nextAttempt === null) await boss.retry(queue, id);
  await boss.update(queue, undefined, { id, startAfter: 0, retryLimit: attempts + retryLimits[queue] });
}

/**
 * Fails all running jobs, so that they are retried. For starts after a crash, when no other process uses the database.
 */
export async function failRunningJobs(db: Db): Promise<void> {
  const boss = connectQueue(db);
  for (const { queue, job } of await findAll(boss))
    if (job.state === 'active') await boss.fail(queue, job, { message: 'The process that ran the job was killed.' });
}

export const deleteJob = async (db: Db, queue: QueueName, id: string): Promise<void> =>
  void (await connectQueue(db).deleteJob(queue, id));

async function findAll(boss: PgBoss, maxJobs?: number): Promise<{ queue: QueueName; job: StoredJob }[]> {
  const found = [];
  for (const queue of queueNames)
    found.push(...(await findJobs(boss, queue, undefined, maxJobs)).map((job) => ({ queue, job })));
  return found;
}

/** pg-boss stores errors as objects and everything else as `value`. */
function messageOf(output: { message?: unknown; value?: { message?: unknown } | string } | null): string | null {
  const { message, value } = output ?? {};
  const text = message ?? (typeof value === 'object' ? value?.message : value);
  return typeof text === 'string' ? text : null;
}
