import type { Context } from '#server/domain/context.ts';
import { rewriteEmployerKeys } from '#server/domain/careers/employers.ts';
import { takeTracerSnapshot } from '#server/domain/careers/tracer.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import { rewriteEmployersJob, tracerSnapshotJob } from './jobs.ts';

export const careerTasks = (context: Context): JobHandlers => ({
  ...rewriteEmployersJob.handle(async ({ key }) => rewriteEmployerKeys(context.db, key)),
  ...tracerSnapshotJob.handle(async () => takeTracerSnapshot(context)),
});
