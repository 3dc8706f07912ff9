import type { Database, Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { queuePendingRebuild } from '#server/domain/search/search-rebuild.ts';
import { queueFirstSnapshot } from '#server/features/careers/jobs.ts';
import { updateMinorsJob } from '#server/features/profile/jobs.ts';
import { allSchedules, allTasks } from '#server/app/jobs.ts';
import { watchClock } from '#server/platform/lifecycle/clock.ts';
import { failRunningJobs } from '#server/platform/jobs/failed-jobs.ts';
import { resetRateLimits } from '#server/platform/limits/rate-limits.ts';
import type { Log } from '#server/platform/log/log.ts';
import type { Mailer } from '#server/platform/mail/mail.ts';
import { type Worker, startWorker } from '#server/platform/jobs/worker.ts';

export async function startQueue(context: Context, database: Database, mailer: Mailer, log: Log): Promise<Worker> {
  // When the database is external, another server may still run these jobs. They are retried when their heartbeat
  // stops.
  if (context.config.databaseUrl === null) await failRunningJobs(database.db);
  return startWorker(database, allTasks(context, mailer), allSchedules, log);
}

/** After a clock jump, rate limits no longer wait for times that the wrong clock has set. */
export async function startClockWatch(db: Db, log: Log): Promise<{ stop(): Promise<void> }> {
  return watchClock({ db, log, onJump: () => resetRateLimits(db) });
}

/** Queues jobs that may have become necessary while the server was stopped, for example after an upgrade. */
export async function queueFirstJobs(db: Db): Promise<void> {
  await queuePendingRebuild(db);
  await queueFirstSnapshot(db);
  await updateMinorsJob.queue(db, {}, { key: 'start', delaySeconds: 0 });
}
