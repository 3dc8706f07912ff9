import { Logger, type TaskList, runOnce } from 'graphile-worker';
import type pg from 'pg';
import { bringMailsForward } from './delayed-mails.ts';
import { isMailJob, type Schedule } from './jobs.ts';
import type { Log } from './log.ts';
import type { Mailer } from './mail.ts';
import { type LastingRunner, runLastingly } from './runner.ts';
import { createVigil, giveBack } from './worker-vigil.ts';

export interface Worker {
  stop(): Promise<void>;
}

/** Jobs under way at once, of each of the two kinds. */
const atOnce = 2;

/** Milliseconds that what is under way has at the end, before it is told to give up: the whole ending has ten seconds. */
const grace = 1_500;

/** Milliseconds. */
interface Pace {
  /** Between two looks after mails that wait for their server, and after jobs whose workers have died. */
  readonly looks: number;
  /** For which another process's worker has to be dead before its jobs are given to others. */
  readonly deadFor: number;
}

/** Attempts at something that comes again by the clock. */
const scheduledAttempts = 5;

/** The crontab's option by which something is made up for: as far back as it happens once. */
const madeUpFor = '&fill=1d';

/** What the worker's log hands over with a message about a job. */
interface JobMeta {
  readonly job?: {
    readonly id: string;
    readonly task_identifier: string;
    readonly attempts: number;
    readonly max_attempts: number;
  };
  readonly error?: unknown;
}

/** The worker's own chatter about every job would double our log; failures are what matters, without their payload. */
const quiet = (log: Log) =>
  new Logger(() => (level, message, meta) => {
    if (level !== 'error' && level !== 'warning') return;
    const { job, error } = (meta ?? {}) as JobMeta;
    if (!job) return level === 'error' ? log.error({}, message) : log.warn({}, message);
    const words = {
      job: { id: job.id, task: job.task_identifier, attempt: job.attempts, of: job.max_attempts },
      reason: error instanceof Error ? error.message : message,
    };
    if (level === 'warning') return log.warn(words, 'a job has ended without having done its work');
    if (job.attempts < job.max_attempts) return log.warn(words, 'a job failed, and will be tried again');
    return log.error(words, 'a job failed for the last time: npm run archive -- jobs list');
  });

/** Does something again and again, not while the time before is still under way. A failure is said, and is nobody else's. */
function createLooker(work: () => Promise<unknown>, about: string, log: Log) {
  let looking: Promise<unknown> | null = null;
  return {
    look: () => {
      looking ??= work()
        .catch((error: unknown) => log.warn({ err: error }, `${about} failed, and is tried again`))
        .finally(() => {
          looking = null;
        });
    },
    /** When it is not under way. */
    settled: async () => looking,
  };
}

/** Works the queue until stopped; what is under way is finished first, or told to give up after a moment. */
export async function startWorker(
  pool: pg.Pool,
  taskList: TaskList,
  schedules: readonly Schedule[],
  log: Log,
  mailer: Pick<Mailer, 'answers'>,
  { looks, deadFor }: Pace = { looks: 15_000, deadFor: 10_000 },
): Promise<Worker> {
  const runners: LastingRunner[] = [];
  const isInHand = (jobId: string) => runners.some((runner) => runner.isInHand(jobId));
  const vigil = await createVigil(pool, { log, isInHand, deadFor });
  const options = { pgPool: pool, concurrency: atOnce, noHandleSignals: true, logger: quiet(log) };
  const watcher = {
    onWorker: (id: string) => vigil.watchOver(id),
    free: (workers: readonly string[]) => giveBack(pool, { workers, reason: 'broken-off' }, log),
    log,
  };
  const ending = new AbortController();
  // A mail server that says nothing is not waited for at the end.
  const ended = new Promise<false>((resolve) => {
    ending.signal.addEventListener('abort', () => resolve(false), { once: true });
  });
  const asked = { answers: () => Promise.race([mailer.answers(), ended]) };
  const stop = async () => {
    clearInterval(timer);
    ending.abort();
    await Promise.all(runners.map((runner) => runner.stop()));
    await Promise.all(lookers.map((looker) => looker.settled()));
    await vigil.end();
  };
  // Apart: neither waits for the other, nor fails with it.
  const lookers = [
    createLooker(() => vigil.freeLostJobs(ending.signal), 'looking after the jobs of workers that have died', log),
    createLooker(() => bringMailsForward(pool, asked), 'looking after mails that wait for their server', log),
  ];
  const look = () => lookers.forEach((looker) => looker.look());
  const timer = setInterval(look, looks).unref();
  try {
    const tasks = Object.entries(taskList);
    // The mails, then all the rest: a mail server that is slow must not hold up what has nothing to do with it.
    for (const mails of [true, false]) {
      runners.push(
        await runLastingly(
          {
            ...options,
            gracefulShutdownAbortTimeout: grace,
            taskList: Object.fromEntries(tasks.filter(([name]) => isMailJob(name) === mails)),
            crontab: mails
              ? ''
              : schedules
                  .map(
                    ({ name, cron, isMadeUpFor = false }) =>
                      `${cron} ${name} ?max=${scheduledAttempts}${isMadeUpFor ? madeUpFor : ''}`,
                  )
                  .join('\n'),
          },
          watcher,
        ),
      );
    }
    look();
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
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
