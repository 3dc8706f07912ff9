import type { Database, Db } from './db/client.ts';
import type { Context } from './domain/context.ts';
import { queuePendingRebuild } from './domain/search-rebuild.ts';
import { updateMinorsJob } from './features/profile/jobs.ts';
import { allSchedules, allTasks } from './jobs.ts';
import { watchClock } from './platform/clock.ts';
import { hastenJobs } from './platform/jobs.ts';
import { resetLimits } from './platform/limits.ts';
import type { Log } from './platform/log.ts';
import type { Mailer } from './platform/mail.ts';
import { releaseJobs } from './platform/worker-vigil.ts';
import { type Worker, startWorker } from './platform/worker.ts';

/** The work on the queue. */
export interface Queue {
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts to work the queue, and to follow the schedules. */
export async function startQueue(context: Context, { pool }: Database, mailer: Mailer, log: Log): Promise<Queue> {
  // The jobs of a process that was killed. With a database elsewhere, another server may still work on them.
  if (context.config.databaseUrl === null) await releaseJobs(pool, log);
  const work = () => startWorker(pool, allTasks(context, mailer), allSchedules, log, mailer);
  let worker: Worker | null = await work();
  const stop = async () => {
    const before = worker;
    worker = null;
    await before?.stop();
  };
  const restart = async () => {
    await stop();
    worker = await work();
  };
  return { restart, stop };
}

/** Starts to watch the clock. After a jump, jobs and limits do not wait for times that a wrong clock has set. */
export async function startClockWatch(db: Db, queue: Queue, log: Log): Promise<{ stop(): Promise<void> }> {
  const onJump = async () => {
    await hastenJobs(db);
    await resetLimits(db);
  };
  await hastenJobs(db);
  // The queue's library waits for a minute that it has computed before.
  return watchClock({ db, log, onJump, onSet: () => queue.restart() });
}

/** Queues what may have become necessary while the product was off, such as after an update. */
export async function queueFirstJobs(db: Db): Promise<void> {
  await queuePendingRebuild(db);
  await updateMinorsJob.queue(db, {}, { key: 'start', seconds: 0 });
}
