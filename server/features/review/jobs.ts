import * as z from 'zod/mini';
import { defineJob } from '#server/platform/jobs/define-job.ts';

/** Does nothing if the decision was undone. */
export const carryOutDecisionJob = defineJob('review:carry-out', z.object({ decisionId: z.string() }), {
  // A member of staff waits for the result.
  priority: 5,
});
