import type { Context } from '#server/domain/context.ts';
import type { Reviewables } from '#server/domain/staff/review.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import { carryOutDecision } from './carry-out.ts';
import { carryOutDecisionJob } from './jobs.ts';

export const reviewTasks = (context: Context, reviewables: Reviewables): JobHandlers => ({
  ...carryOutDecisionJob.handle(({ decisionId }) => carryOutDecision(context, reviewables, decisionId)),
});
