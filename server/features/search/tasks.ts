import type { Context } from '../../domain/context.ts';
import { rebuildSearch, rebuildSearchJob } from '../../domain/search-rebuild.ts';
import type { JobHandlers } from '../../platform/jobs/define-job.ts';
import { recountWords, recountWordsJob } from '../../domain/vocabulary.ts';

/** Returns the job handlers of the search feature. */
export const searchTasks = ({ db }: Context): JobHandlers => ({
  ...recountWordsJob.handle(async () => recountWords(db)),
  ...rebuildSearchJob.handle(async () => rebuildSearch(db)),
});
