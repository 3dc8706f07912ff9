import { type OpenArchive, openArchive } from '#server/startup/open-archive.ts';

/** Does some work on the archive of an environment, and leaves it as it was found: open or shut. */
export async function withArchive<Result>(
  environment: NodeJS.ProcessEnv,
  work: (archive: OpenArchive) => Promise<Result>,
): Promise<Result> {
  const archive = await openArchive(environment);
  try {
    return await work(archive);
  } finally {
    await archive.close();
  }
}
