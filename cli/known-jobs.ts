import { allTasks } from '#server/jobs.ts';
import type { OpenArchive } from '#server/open-archive.ts';
import { createMailer } from '#server/platform/mailer.ts';

/** The names of all jobs that this version can do. */
export const knownJobs = ({ context, config }: OpenArchive): string[] =>
  Object.keys(allTasks(context, createMailer(config)));
