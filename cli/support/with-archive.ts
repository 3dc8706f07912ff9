import { type OpenArchive, openArchive } from '#server/startup/open-archive.ts';

/** Opens the archive of an environment, runs work on it, and closes it. Takes the options of `openArchive`. */
export async function withArchive<Result>(
  environment: NodeJS.ProcessEnv,
  work: (archive: OpenArchive) => Promise<Result>,
  options?: Parameters<typeof openArchive>[1],
): Promise<Result> {
  const archive = await openArchive(environment, options);
  try {
    return await work(archive);
  } finally {
    await archive.close();
  }
}
