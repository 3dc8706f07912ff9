import type { SendOptions } from 'pg-boss';
import * as z from 'zod/mini';
import type { Db } from '../../db/client.ts';
import { type QueueName, connectQueue, findJobs, queueNames } from './job-queue.ts';

/** A kind of work that is done after the transaction that requested it. */
export interface Job<Payload> {
  readonly name: string;
  readonly queueName: QueueName;
  readonly options: Pick<SendOptions, 'priority' | 'expireInSeconds'>;
  /**
   * Queues the work in the caller's transaction: it runs if and only if that commits, and survives a crash.
   * @param gather waits this many seconds, in which further requests with the same key join the first one
   */
  queue(db: Db, payload: Payload, gather?: Coalescing): Promise<void>;
  /** Returns the entry for the worker's list of handlers. */
  handle(work: (payload: Payload, attempt: Attempt) => Promise<void>): JobHandlers;
}

/** What does each kind of job, by its name. */
export type JobHandlers = Readonly<Record<string, (payload: unknown, attempt: Attempt) => Promise<void>>>;

/** One attempt at a job. */
export interface Attempt {
  /** A random UUID, the same for every attempt at one job. */
  readonly jobId: string;
  /** Aborted when the job exceeds its time limit, or the process stops. */
  readonly signal: AbortSignal;
}

interface Coalescing {
  readonly key: string;
  readonly delaySeconds: number;
}

interface Options {
  /** Time limit of one attempt, in seconds; statements of the database have limits of their own. */
  readonly timeoutSeconds?: number;
  /** Jobs with a higher number run first. */
  readonly priority?: number;
  readonly queueName?: QueueName;
}

/** Time limit in seconds for what goes through the whole archive. */
export const wholeArchiveTimeoutSeconds = 3_600;

/** Thrown by a handler when further attempts are useless: the job is logged and deleted. */
export class NoFurtherAttempts extends Error {
  override readonly name: string = 'NoFurtherAttempts';
}

/** The same for a failure that needs an operator: the message, which says what to do, is logged as an error. */
export class OperatorNeeded extends NoFurtherAttempts {
  override readonly name: string = 'OperatorNeeded';
}

/**
 * Defines a kind of job once, so that sender and handler agree on the payload. Payloads must not hold secrets: they are stored.
 * What a failed attempt throws is stored as well, without addresses and codes.
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
    queue: async (db, payload, gather) => {
      const boss = connectQueue(db);
      const data = { name, payload };
      if (!gather) {
        await boss.send(queueName, data, options);
        return;
      }
      const singletonKey = `${name} ${gather.key}`;
      // The update locks the waiting job, so that it does not start before this transaction commits.
      const { updated } = await boss.update(queueName, data, { singletonKey });
      if (updated === 0)
        await boss.send(queueName, data, { ...options, singletonKey, startAfter: gather.delaySeconds });
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
 * @param urgency whether someone waits for the mail in front of a page, or it is one of many
 */
export function defineMailJob<Schema extends z.ZodMiniType>(
  name: `${string}-mail`,
  schema: Schema,
  urgency: 'awaited' | 'normal' | 'bulk',
): Job<z.output<Schema>> {
  const priority = { awaited: 10, normal: 0, bulk: -10 }[urgency];
  return defineJob(name, schema, { priority, timeoutSeconds: 120, queueName: 'mail' });
}

/** Returns which jobs have a payload that contains one of these objects. */
export async function findJobsAbout(db: Db, payloads: readonly object[]) {
  const boss = connectQueue(db);
  const found = [];
  for (const queue of queueNames)
    for (const payload of payloads)
      found.push(...(await findJobs(boss, queue, { payload })).map(({ id, state }) => ({ queue, id, state })));
  return found;
}

/** Deletes the jobs whose payload contains one of these objects, so that nothing of a deleted account stays in the queue. */
export async function deleteJobsAbout(db: Db, payloads: readonly object[]): Promise<void> {
  const boss = connectQueue(db);
  // pg-boss fails a job by writing it anew, so one that fails at this moment is seen by the next look only.
  for (;;) {
    const found = await findJobsAbout(db, payloads);
    if (found.length === 0) return;
    for (const { queue, id } of found) await boss.deleteJob(queue, id);
  }
}

/** Deletes the jobs of one kind that have failed for the last time. @returns their payloads */
export async function takeFailedJobs(
  db: Db,
  { name, queueName }: Pick<Job<unknown>, 'name' | 'queueName'>,
): Promise<unknown[]> {
  const boss = connectQueue(db);
  const failed = (await findJobs(boss, queueName, { name })).filter(({ state }) => state === 'failed');
  for (const { id } of failed) await boss.deleteJob(queueName, id);
  return failed.map(({ data }) => data.payload);
}

/** A job that runs at certain times. */
export interface Schedule {
  readonly job: Job<unknown>;
  /** In UTC, e.g. `17 3 * * *`: every night at 03:17. */
  readonly cron: string;
  /** Whether a run that was missed while the server was off is made up for at the next start. */
  readonly shouldCatchUp?: boolean;
  /** Whether it acts on the age of rows, and so does nothing while the clock may be wrong. */
  readonly isAgeBased?: boolean;
}
