import * as z from 'zod/mini';
import type { Db } from '#server/db/client.ts';
import { type Schedule, defineJob, wholeArchiveTimeoutSeconds } from '#server/platform/jobs/define-job.ts';

export const rewriteEmployersJob = defineJob('careers:rewrite-employers', z.object({ key: z.string() }), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

export const tracerSnapshotJob = defineJob('careers:tracer-snapshot', z.unknown());

export const careerSchedules: Schedule[] = [{ job: tracerSnapshotJob, cron: '20 1 1 * *', shouldCatchUp: true }];

/** Takes the snapshot of this month if it is missing, for example because the report was turned on. */
export async function queueFirstSnapshot(db: Db): Promise<void> {
  await tracerSnapshotJob.queue(db, {}, { key: 'start', delaySeconds: 0 });
}
