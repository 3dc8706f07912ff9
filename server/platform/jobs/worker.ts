import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, PgBoss, type Db as SqlExecutor } from 'pg-boss';
import type { Database, Db } from '#server/db/client.ts';
import { type JobHandlers, NoFurtherAttempts, OperatorNeeded, type Schedule } from './define-job.ts';
import { type Log, redactSecrets } from '../log/log.ts';
import { MailServerUnavailable } from '../mail/mail.ts';
import {
  type JobData,
  type QueueName,
  type StoredJob,
  bossOptions,
  connectQueue,
  executorOf,
  queueNames,
  retryLimits,
} from './job-queue.ts';

export interface Worker {
  stop(): Promise<void>;
}

const jobsPerQueue = 2;

/** Time for running jobs to finish during a shutdown, which may take ten seconds in total. */
const stopTimeoutMs = 1_500;

/** Scheduled jobs need few retries, because they run again at the next scheduled time. */
const scheduledRetryLimit = 4;

/** Time that a mail waits for an unavailable mail server without using up its attempts. */
const maxServerDownDays = 14;

const deleteRetryDelayMs = 500;

/** A monotonic clock, so that changes of the system time do not stop timers. */
const monotonicClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (work, ms) => setInterval(work, ms),
  clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout),
};

/**
 * Runs jobs until stopped. On `stop`, running jobs have a short time to finish. Unfinished jobs are retried after the
 * next start.
 */
export async function startWorker(
  { pool, listenTo }: Pick<Database, 'pool' | 'listenTo'>,
  handlers: JobHandlers,
  schedules: readonly Schedule[],
  log: Log,
): Promise<Worker> {
  const boss = new PgBoss({
    ...bossOptions,
    db: { ...executorOf(pool), listen: listenWith(listenTo) },
    clock: monotonicClock,
    useListenNotify: true,
    // Interval of dead-worker detection.
    superviseIntervalSeconds: 15,
    monitorIntervalSeconds: 15,
    maintenanceIntervalSeconds: 3_600,
    clockMonitorIntervalSeconds: 60,
    monitorVacuum: false,
  });
  boss.on('error', ({ message }) => log.warn({ reason: redactSecrets(message) }, 'Job queue error'));
  boss.on('warning', ({ message, data }) => {
    // `clock.ts` already logs clock jumps.
    if ((data as { type?: string }).type !== 'clock_skew') log.warn({}, message);
  });
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort();
    await boss.stop({ close: false, timeout: stopTimeoutMs });
  };
  try {
    await boss.start();
    await updateSchedules(boss, schedules);
    const run = createRunner(boss, handlers, log, stopping.signal);
    for (const queue of queueNames) for (let place = 0; place < jobsPerQueue; place++) await work(boss, queue, run);
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const listenWith =
  (listenTo: Database['listenTo']): NonNullable<SqlExecutor['listen']> =>
  async (channel, onNotification, onReconnect) => {
    const listener = listenTo(channel);
    listener.subscribe((payload) => (payload === null ? onReconnect() : onNotification(payload)));
    return listener;
  };

async function work(boss: PgBoss, queue: QueueName, run: Runner): Promise<void> {
  const id = await boss.work(
    queue,
    // New jobs are announced by NOTIFY. Polling finds those with a delay and retries, and costs CPU in an idle archive.
    { includeMetadata: true, pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 10 },
    async (jobs: StoredJob[]) => {
      try {
        for (const job of jobs) await run(queue, job);
      } finally {
        // Fetches the next job now instead of at the next poll.
        boss.notifyWorker(id);
      }
    },
  );
}

async function updateSchedules(boss: PgBoss, schedules: readonly Schedule[]): Promise<void> {
  const keyOf = ({ job }: Schedule) => job.name.replaceAll(':', '.');
  for (const schedule of schedules) {
    const { job, cron, shouldCatchUp = false } = schedule;
    await boss.schedule(
      job.queueName,
      cron,
      { name: job.name, payload: {} },
      {
        ...job.options,
        key: keyOf(schedule),
        retryLimit: scheduledRetryLimit,
        missed: shouldCatchUp ? 'once' : 'skip',
      },
    );
  }
  for (const { name, key } of await boss.getSchedules())
    if (!schedules.some((schedule) => keyOf(schedule) === key)) await boss.unschedule(name, key);
}

type Runner = (queue: QueueName, job: StoredJob) => Promise<void>;

const createRunner =
  (boss: PgBoss, handlers: JobHandlers, log: Log, stopping: AbortSignal): Runner =>
  async (queue, job) => {
    const { name, payload } = job.data;
    const logFields = { job: { id: job.id, task: name, attempt: job.retryCount + 1, of: job.retryLimit + 1 } };
    try {
      const handle = handlers[name];
      if (!handle) throw new Error('This version has no handler for this kind of job.');
      const work = handle(payload, { jobId: job.id, signal: job.signal });
      // A handler that ignores the signal must not block the worker. If it succeeds later, the job must not run again.
      job.signal.addEventListener(
        'abort',
        () => void work.then(() => finish(boss, queue, job, stopping, log)).catch(() => undefined),
      );
      await Promise.race([work, rejectWhenAborted(job.signal)]);
    } catch (error) {
      const reason = redactSecrets((error as Error).message);
      if (!(error instanceof NoFurtherAttempts)) {
        // Stores only the message, because the error may contain email addresses. pg-boss itself fails the jobs that it
        // aborts.
        if (!job.signal.aborted) await boss.fail(queue, job, { message: reason });
        if (error instanceof MailServerUnavailable && canWaitForMailServer(job)) {
          log.warn({ ...logFields, reason }, 'Mail server unavailable; the mail will be retried');
          await postpone(boss, queue, job);
        } else if (job.retryCount < job.retryLimit) {
          log.warn({ ...logFields, reason }, 'Job failed; it will be retried');
          if (queue === 'mail') await restartBackoff(boss, queue, job);
        } else
          log.error({ ...logFields, reason }, 'Job failed after its last attempt. See: npm run archive -- jobs list');
        return;
      }
      if (error instanceof OperatorNeeded) log.error(logFields, reason);
      else log.warn({ ...logFields, reason }, 'Job failed permanently');
    }
    await finish(boss, queue, job, stopping, log);
  };

const ageSeconds = ({ startedOn, createdOn }: StoredJob) => (startedOn.getTime() - createdOn.getTime()) / 1000;

const canWaitForMailServer = (job: StoredJob) => ageSeconds(job) < maxServerDownDays * 24 * 60 * 60;

/**
 * Restores the attempts of a failed job, and retries it after a tenth of its age, at least 10 and at most 120 seconds.
 */
async function postpone(boss: PgBoss, queue: QueueName, job: StoredJob): Promise<void> {
  // After the last attempt, the job has the state `failed`. `retry` makes it wait again.
  if (job.retryCount >= job.retryLimit) await boss.retry(queue, job.id);
  await boss.update(queue, undefined, {
    id: job.id,
    startAfter: Math.round(Math.min(120, Math.max(10, ageSeconds(job) / 10))),
    retryLimit: job.retryCount + retryLimits[queue],
  });
}

/**
 * Computes the backoff of a postponed mail without the attempts that reached no mail server, which pg-boss counts too.
 */
async function restartBackoff(
  boss: PgBoss,
  queue: QueueName,
  { id, retryCount, retryLimit }: StoredJob,
): Promise<void> {
  const attemptsBefore = retryLimit - retryLimits[queue];
  if (attemptsBefore <= 0) return;
  await boss.update(queue, undefined, { id, startAfter: Math.min(60 * 60, 2 ** (retryCount - attemptsBefore + 1)) });
}

/** Deletes a finished job. Retries while the database is unavailable, so that the job does not run twice. */
async function finish(
  boss: PgBoss,
  queue: QueueName,
  { id }: StoredJob,
  stopping: AbortSignal,
  log: Log,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await boss.deleteJob(queue, id);
      return;
    } catch (error) {
      if (stopping.aborted) throw error;
      if (attempt === 1) log.warn({ err: error }, 'A finished job could not be deleted; retrying');
      await delay(deleteRetryDelayMs);
    }
  }
}

const rejectWhenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = () => reject(new Error('The job exceeded its time limit, or the process stopped.'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });

export async function runDueJobs(db: Db, handlers: JobHandlers, log: Log): Promise<void> {
  const boss = connectQueue(db);
  const { signal } = new AbortController();
  const run = createRunner(boss, handlers, log, signal);
  let isEmpty = false;
  while (!isEmpty) {
    isEmpty = true;
    for (const queue of queueNames)
      for (const job of await boss.fetch<JobData>(queue, { includeMetadata: true })) {
        isEmpty = false;
        await run(queue, { ...job, signal });
      }
  }
}
