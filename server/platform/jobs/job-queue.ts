import {
  type ConstructorOptions,
  type JobWithMetadata,
  PgBoss,
  type Queue,
  type Db as SqlExecutor,
  fromKysely,
} from 'pg-boss';
import type pg from 'pg';
import type { Db } from '#server/db/client.ts';

export interface JobData {
  readonly name: string;
  readonly payload: unknown;
}

export type StoredJob = JobWithMetadata<JobData>;

/** Mails have a separate queue, so that a slow mail server does not delay other jobs. */
export type QueueName = 'mail' | 'work';

export const queueNames: readonly QueueName[] = ['mail', 'work'];

export const retryLimits: Readonly<Record<QueueName, number>> = { mail: 30, work: 13 };

const common = {
  retryBackoff: true,
  // After this time in seconds without a heartbeat, the worker counts as dead and the job is retried.
  heartbeatSeconds: 30,
  // Retention of waiting jobs: ten years. pg-boss deletes waiting jobs that are older, and a clock that is a year ahead
  // must not delete any.
  retentionSeconds: 10 * 365 * 24 * 60 * 60,
  // Retention of failed jobs. Completed jobs are deleted immediately.
  deleteAfterSeconds: 30 * 24 * 60 * 60,
  notify: true,
} as const satisfies Partial<Queue>;

/** Mails get 31 attempts in about 21 hours. Other jobs get 14 attempts in about 19 hours. */
const queues: Readonly<Record<QueueName, Omit<Queue, 'name'>>> = {
  mail: { ...common, expireInSeconds: 120, retryLimit: retryLimits.mail, retryDelay: 2, retryDelayMax: 60 * 60 },
  work: {
    ...common,
    expireInSeconds: 60 * 60,
    retryLimit: retryLimits.work,
    retryDelay: 8,
    retryDelayMax: 6 * 60 * 60,
  },
};

export const bossOptions = {
  schema: 'pgboss',
  migrate: false,
  registerInstance: false,
  openTelemetry: { enabled: false },
} as const satisfies ConstructorOptions;

/** Returns a PgBoss instance for calls on a database or in a transaction. It starts no timers and needs no `stop()`. */
export function connectQueue(db: Db | SqlExecutor, options: ConstructorOptions = {}): PgBoss {
  const boss = new PgBoss({
    ...bossOptions,
    db: 'executeSql' in db ? db : fromKysely(db),
    supervise: false,
    schedule: false,
    ...options,
  });
  // Ignores the event: only best-effort statistics emit it, and failed calls reject.
  return boss.on('error', () => undefined);
}

export const executorOf = (pool: Pick<pg.Pool, 'query'> | pg.Client): SqlExecutor => ({
  executeSql: (text, values) => pool.query(text, values),
});

/** Creates or upgrades the pg-boss schema and the queues. Several processes may call it concurrently. */
export async function migrateQueue(pool: pg.Pool): Promise<void> {
  const boss = connectQueue(executorOf(pool), { migrate: true });
  // Retries, because another process may be creating the schema.
  await boss.start({ attempts: 5 });
  try {
    await createQueues(boss);
  } finally {
    await boss.stop({ graceful: false, close: false });
  }
}

export async function createQueues(boss: PgBoss): Promise<void> {
  for (const name of queueNames) {
    await boss.createQueue(name, queues[name]);
    await boss.updateQueue(name, queues[name]);
  }
}

const pageSize = 10_000;

/**
 * Returns the jobs of a queue, the oldest first.
 * @param data returns only jobs whose data contain this object
 * @param maxJobs stops reading pages when this many jobs have been read
 */
export async function findJobs(
  boss: PgBoss,
  queue: QueueName,
  data?: { name?: string; payload?: object },
  maxJobs = Infinity,
): Promise<StoredJob[]> {
  const jobs: StoredJob[] = [];
  while (jobs.length < maxJobs) {
    const last = jobs.at(-1);
    const page = await boss.findJobs<JobData>(queue, {
      limit: pageSize,
      ...(data && { data }),
      ...(last && { after: last.id }),
    });
    jobs.push(...page);
    if (page.length < pageSize) break;
  }
  return jobs;
}
