import type { Context } from '#server/domain/context.ts';
import { rebuildSearch, rebuildSearchJob } from '#server/domain/search/search-rebuild.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import { recountWords, recountWordsJob } from '#server/domain/search/vocabulary.ts';

export const searchTasks = ({ db }: Context): JobHandlers => ({
  ...recountWordsJob.handle(async () => recountWords(db)),
  ...rebuildSearchJob.handle(async () => rebuildSearch(db)),
});
