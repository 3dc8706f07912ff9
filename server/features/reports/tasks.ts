import { sql } from 'kysely';
import type { Context } from '../../domain/context.ts';
import type { JobHandlers } from '../../platform/jobs/define-job.ts';
import { deleteOldReportsJob } from './jobs.ts';

/** Days until a closed report is deleted. */
const closedReportTtlDays = 180;

/** Returns the job handlers of the reports feature. */
export const reportTasks = ({ db }: Context): JobHandlers => ({
  ...deleteOldReportsJob.handle(async () => {
    await db
      .deleteFrom('reports')
      .where('closed_at', '<', sql<Date>`now() - make_interval(days => ${closedReportTtlDays})`)
      .execute();
  }),
});
