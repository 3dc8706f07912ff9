import type { JobHelpers, TaskList } from 'graphile-worker';
import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { Db } from '../db/client.ts';
import { withoutSecrets } from './log.ts';

/** A kind of work that is done after the transaction which asked for it. */
export interface Job<Payload> {
  readonly name: string;
  /**
   * Queues the work in the caller's transaction: it happens if, and only if, that commits, and survives a crash.
   * @param gather waits so many seconds, in which further requests of the same key join the first one
   */
  queue(db: Db, payload: Payload, gather?: Gather): Promise<void>;
  /** Pairs the job with what does it, for the worker's list. */
  handle(work: (payload: Payload, attempt: Attempt) => Promise<void>): TaskList;
}

/** One try at a job. */
export interface Attempt {
  /** The same for each try at one job, and no other job's, not even after the database was made anew. Tells nothing. */
  readonly jobId: string;
  /** Aborted when the job has taken too long, or the process ends and has waited long enough. */
  readonly signal: AbortSignal;
}

interface Gather {
  readonly key: string;
  readonly seconds: number;
}

interface Options {
  /** What has the smaller number is done first. */
  readonly priority?: number;
  /** Seconds that one try may take. */
  readonly seconds?: number;
}

/** Attempts over 28 hours. A mail whose server is away has more of them (`delayed-mails.ts`). */
const maxAttempts = 14;

/** Seconds that a try may take where the job does not say; statements of the database have limits of their own. */
const longestTry = 600;

/** Seconds for what goes through the whole archive. */
export const wholeArchive = 3_600;

/** Days for which a job that was given up can be looked at. */
const memory = 30;

/** Thrown by work that has come to nothing for good: it is said in the log, and not tried again. */
export class NoFurtherAttempts extends Error {
  override readonly name: string = 'NoFurtherAttempts';
}

/** The same for a failure that needs an operator: the message, which says what to do, is logged as an error. */
export class OperatorNeeded extends NoFurtherAttempts {
  override readonly name: string = 'OperatorNeeded';
}

/**
 * Defines a job once; who queues it and who does it agree on the payload. No secret belongs into a payload: it is stored.
 * What a failed try throws is stored as well, without addresses and codes.
 */
export function defineJob<Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
  { priority = 0, seconds = longestTry }: Options = {},
): Job<z.output<Schema>> {
  return {
    name,
    queue: async (db, payload, gather) => {
      await sql`select graphile_worker.add_job(
        ${name}, ${JSON.stringify(payload)}::json, max_attempts := ${maxAttempts}, priority := ${priority},
        run_at := now() + make_interval(secs => ${gather?.seconds ?? 0}),
        job_key := ${gather ? `${name} ${gather.key}` : null}::text, job_key_mode := 'preserve_run_at'
      )`.execute(db);
    },
    handle: (work) => ({
      [name]: async (payload: unknown, helpers: JobHelpers) => {
        const limit = new AbortController();
        const timer = setTimeout(
          () => limit.abort(new Error(`It was not done after ${seconds} seconds.`)),
          seconds * 1000,
        );
        const ending = () => limit.abort(new Error('The process ended while it was done.'));
        helpers.abortSignal.addEventListener('abort', ending);
        if (helpers.abortSignal.aborted) ending();
        try {
          const { success, data, error } = schema.safeParse(payload);
          if (!success) throw new Error(`This version cannot read what the job says: ${z.prettifyError(error)}`);
          const attempt = { jobId: await jobIdOf(helpers), signal: limit.signal };
          // Work that does not listen to the signal is left alone: it must not keep its place from others.
          await Promise.race([work(data, attempt), aborted(limit.signal)]);
        } catch (error) {
          const { message } = error as Error;
          if (!(error instanceof NoFurtherAttempts)) throw new Error(withoutSecrets(message), { cause: error });
          if (error instanceof OperatorNeeded) helpers.logger.error(message);
          else helpers.logger.warn(message, { job: helpers.job });
        } finally {
          clearTimeout(timer);
          helpers.abortSignal.removeEventListener('abort', ending);
        }
      },
    }),
  };
}

/** How long mails take before they are given up for this time: a mail server that trickles is not waited for. */
const longestMail = 120;

/**
 * A job that sends one mail. Mails have places of their own among the work, so that a mail server that is slow holds up
 * nothing else, and those that somebody waits for go first.
 * @param urgency whether a person sits in front of a page and waits for it, or it is one of many
 */
export function defineMailJob<Schema extends z.ZodMiniType>(
  name: `${string}-mail`,
  schema: Schema,
  urgency: 'awaited' | 'notice' | 'whenever',
): Job<z.output<Schema>> {
  return defineJob(name, schema, {
    priority: { awaited: -10, notice: 0, whenever: 10 }[urgency],
    seconds: longestMail,
  });
}

/** Whether a kind of work sends mails. */
export const isMailJob = (name: string): boolean => name.endsWith('-mail');

/** From number and time: numbers begin anew in a new database, and mail programs drop what they believe to have had. */
async function jobIdOf({ job }: JobHelpers): Promise<string> {
  const words = new TextEncoder().encode(`${job.id} ${job.created_at.toISOString()}`);
  return Buffer.from(await crypto.subtle.digest('SHA-256', words))
    .toString('base64url')
    .slice(0, 27);
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/**
 * Takes back the jobs whose payload says one of these things, those included that wait for a further attempt: whoever is
 * deleted must not stand in the queue until then. The queue's public view leaves payloads out.
 */
export async function dropJobs(db: Db, payloads: readonly object[]): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs
    where payload::jsonb @> any(${payloads.map((payload) => JSON.stringify(payload))}::jsonb[])`.execute(db);
}

/** Jobs that have failed for the last time would be kept for ever, with whatever stands in them. They stay for 30 days. */
export async function deleteFailedJobs(db: Db): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs where attempts >= max_attempts and locked_at is null
    and updated_at < now() - make_interval(days => ${memory})`.execute(db);
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
  /** Whether it is made up for at the next start when nothing ran at its time: for what happens once a day. */
  readonly isMadeUpFor?: boolean;
  /** Whether it acts on the age of rows, and so does nothing while the clock may be wrong. */
  readonly needsSteadyClock?: boolean;
}
