import type { Context } from '#server/domain/context.ts';
import { rebuildSearch, rebuildSearchJob } from '#server/domain/search/search-rebuild.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import { recountWords, recountWordsJob } from '#server/domain/search/vocabulary.ts';

/** Returns the job handlers of the search feature. */
export const searchTasks = ({ db }: Context): JobHandlers => ({
  ...recountWordsJob.handle(async () => recountWords(db)),
  ...rebuildSearchJob.handle(async () => rebuildSearch(db)),
});
