import type { SendOptions } from 'pg-boss';
import * as z from 'zod/mini';
import type { Db } from '#server/db/client.ts';
import { type QueueName, connectQueue, findJobs, queueNames } from './job-queue.ts';

export interface Job<Payload> {
  readonly name: string;
  readonly queueName: QueueName;
  readonly options: Pick<SendOptions, 'priority' | 'expireInSeconds'>;
  /**
   * Queues a job in the caller's transaction: it runs if and only if that transaction commits, and survives a crash.
   * @param coalesce delays the job, and merges further jobs with the same key into it until it starts
   */
  queue(db: Db, payload: Payload, coalesce?: Coalescing): Promise<void>;
  handle(work: (payload: Payload, attempt: Attempt) => Promise<void>): JobHandlers;
}

export type JobHandlers = Readonly<Record<string, (payload: unknown, attempt: Attempt) => Promise<void>>>;

export interface Attempt {
  /** A random UUID, the same for every attempt at one job. */
  readonly jobId: string;
  /** Aborted when the job exceeds its time limit or the process stops. */
  readonly signal: AbortSignal;
}

interface Coalescing {
  readonly key: string;
  readonly delaySeconds: number;
}

interface Options {
  /** Time limit of one attempt. Database statements have separate time limits. */
  readonly timeoutSeconds?: number;
  /** Jobs with a higher number run first. */
  readonly priority?: number;
  readonly queueName?: QueueName;
}

export const wholeArchiveTimeoutSeconds = 3_600;

/** Error that a handler throws when the job can never succeed. The job is logged and deleted. */
export class NoFurtherAttempts extends Error {
  override readonly name: string = 'NoFurtherAttempts';
}

/**
 * Like `NoFurtherAttempts`, for failures that need the operator. The message contains the required action, and is
 * logged as an error.
 */
export class OperatorNeeded extends NoFurtherAttempts {
  override readonly name: string = 'OperatorNeeded';
}

/**
 * Defines a kind of job, so that sender and handler agree on the payload. Payloads are stored, so they must not contain
 * secrets. Error messages of failed attempts are stored too, without email addresses and codes.
 */
export function defineJob<Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
  { timeoutSeconds = 600, priority = 0, queueName = 'work' }: Options = {},
): Job<z.output<Schema>> {
  const options = { priority, expireInSeconds: timeoutSeconds };
  return {
    name,
    queueName,
    options,
    queue: async (db, payload, coalesce) => {
      const boss = connectQueue(db);
      const data = { name, payload };
      if (!coalesce) {
        await boss.send(queueName, data, options);
        return;
      }
      const singletonKey = `${name} ${coalesce.key}`;
      // The update locks the waiting job, so that it cannot start before this transaction commits.
      const { updated } = await boss.update(queueName, data, { singletonKey });
      if (updated === 0)
        await boss.send(queueName, data, { ...options, singletonKey, startAfter: coalesce.delaySeconds });
    },
    handle: (work) => ({
      [name]: async (payload, attempt) => {
        const { success, data, error } = schema.safeParse(payload);
        if (!success) throw new Error(`This version cannot read the payload of the job: ${z.prettifyError(error)}`);
        await work(data, attempt);
      },
    }),
  };
}

/**
 * Defines a job that sends one mail.
 * @param urgency `awaited` when a user waits for the mail, `bulk` when it is one of many
 */
export function defineMailJob<Schema extends z.ZodMiniType>(
  name: `${string}-mail`,
  schema: Schema,
  urgency: 'awaited' | 'normal' | 'bulk',
): Job<z.output<Schema>> {
  const priority = { awaited: 10, normal: 0, bulk: -10 }[urgency];
  return defineJob(name, schema, { priority, timeoutSeconds: 120, queueName: 'mail' });
}

export async function findJobsAbout(db: Db, payloads: readonly object[]) {
  const boss = connectQueue(db);
  const found = [];
  for (const queue of queueNames)
    for (const payload of payloads)
      found.push(...(await findJobs(boss, queue, { payload })).map(({ id, state }) => ({ queue, id, state })));
  return found;
}

/**
 * Deletes the jobs whose payload contains one of these objects, so that no data of a deleted account stays in the
 * queue.
 */
export async function deleteJobsAbout(db: Db, payloads: readonly object[]): Promise<void> {
  const boss = connectQueue(db);
  // pg-boss replaces the row of a job that fails, so a job that fails at this moment is found by the next query only.
  for (;;) {
    const found = await findJobsAbout(db, payloads);
    if (found.length === 0) return;
    for (const { queue, id } of found) await boss.deleteJob(queue, id);
  }
}

/**
 * Deletes the jobs of one kind that have no attempts left.
 * @returns their payloads
 */
export async function takeFailedJobs(
  db: Db,
  { name, queueName }: Pick<Job<unknown>, 'name' | 'queueName'>,
): Promise<unknown[]> {
  const boss = connectQueue(db);
  const failed = (await findJobs(boss, queueName, { name })).filter(({ state }) => state === 'failed');
  for (const { id } of failed) await boss.deleteJob(queueName, id);
  return failed.map(({ data }) => data.payload);
}

export interface Schedule {
  readonly job: Job<unknown>;
  /** Cron expression in UTC. Example: `17 3 * * *` runs daily at 03:17. */
  readonly cron: string;
  /** Whether to run a job at the next start if its scheduled time passed while the server was down. */
  readonly shouldCatchUp?: boolean;
  /** Whether the job depends on the age of rows. Such jobs do nothing while the clock may be wrong. */
  readonly isAgeBased?: boolean;
}
