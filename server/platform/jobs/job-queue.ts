import {
  type ConstructorOptions,
  type JobWithMetadata,
  PgBoss,
  type Queue,
  type Db as SqlExecutor,
  fromKysely,
} from 'pg-boss';
import type pg from 'pg';
import type { Db } from '../../db/client.ts';

/** What a job of ours holds: which kind of job it is, and what it is about. */
export interface JobData {
  readonly name: string;
  readonly payload: unknown;
}

export type StoredJob = JobWithMetadata<JobData>;

/** Mails have a queue of their own, so that a slow mail server does not delay other jobs. */
export type QueueName = 'mail' | 'work';

export const queueNames: readonly QueueName[] = ['mail', 'work'];

/** Retries of a job after its first attempt. */
export const retryLimits: Readonly<Record<QueueName, number>> = { mail: 30, work: 13 };

const common = {
  retryBackoff: true,
  // Without a heartbeat for so long, a job's process is taken for dead, and the job is retried.
  heartbeatSeconds: 30,
  // Ten years: pg-boss deletes older waiting jobs, and a clock that is a year ahead must not delete any.
  retentionSeconds: 10 * 365 * 24 * 60 * 60,
  // Failed jobs; those that succeed are deleted at once.
  deleteAfterSeconds: 30 * 24 * 60 * 60,
  notify: true,
} as const satisfies Partial<Queue>;

/** Mails: 31 attempts in about 21 hours. Other jobs: 14 attempts in about 19 hours. */
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

/** Options of every PgBoss object here. */
export const bossOptions = {
  schema: 'pgboss',
  migrate: false,
  registerInstance: false,
  openTelemetry: { enabled: false },
} as const satisfies ConstructorOptions;

/** Returns the queue for single calls on a database or in a transaction. It starts no timers and needs no `stop()`. */
export function connectQueue(db: Db | SqlExecutor, options: ConstructorOptions = {}): PgBoss {
  const boss = new PgBoss({
    ...bossOptions,
    db: 'executeSql' in db ? db : fromKysely(db),
    supervise: false,
    schedule: false,
    ...options,
  });
  // Only its best-effort statistics report errors this way; calls reject.
  return boss.on('error', () => undefined);
}

/** Lets pg-boss use a pool or a connection of ours. */
export const executorOf = (pool: Pick<pg.Pool, 'query'> | pg.Client): SqlExecutor => ({
  executeSql: (text, values) => pool.query(text, values),
});

/** Creates or upgrades the schema of pg-boss and the queues. Several processes may call it at once. */
export async function migrateQueue(pool: pg.Pool): Promise<void> {
  const boss = connectQueue(executorOf(pool), { migrate: true });
  // Another process may be creating the schema.
  await boss.start({ attempts: 5 });
  try {
    await createQueues(boss);
  } finally {
    await boss.stop({ graceful: false, close: false });
  }
}

/** Creates the queues, or brings their options to this version. */
export async function createQueues(boss: PgBoss): Promise<void> {
  for (const name of queueNames) {
    await boss.createQueue(name, queues[name]);
    await boss.updateQueue(name, queues[name]);
  }
}

/** Jobs in one answer of the database. */
const pageSize = 10_000;

/**
 * Returns the jobs of a queue, the oldest first.
 * @param data only jobs whose data contain this object
 * @param maxJobs reads no further pages when there are this many
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
