import * as z from 'zod/mini';
import type { Context } from '#server/domain/context.ts';
import { type Schedule, defineJob, wholeArchiveTimeoutSeconds } from '#server/platform/jobs/define-job.ts';

export const rewriteEmployersJob = defineJob('careers:rewrite-employers', z.object({ keys: z.array(z.string()) }), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

/** Only queued if the institution has a tracer report. */
export const tracerSnapshotJob = defineJob('careers:tracer-snapshot', z.unknown());

export const careerSchedules: Schedule[] = [{ job: tracerSnapshotJob, cron: '20 1 1 * *', shouldCatchUp: true }];

/** Takes the snapshot of this month if it is missing, for example because the report was turned on. */
export async function queueFirstSnapshot({ db, institution }: Pick<Context, 'db' | 'institution'>): Promise<void> {
  if (institution.tracerReport) await tracerSnapshotJob.queue(db, {}, { key: 'start', delaySeconds: 0 });
}
