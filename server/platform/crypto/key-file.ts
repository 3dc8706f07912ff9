import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { nullIfMissing } from '../storage/files.ts';

/**
 * A secret in the data folder: made once, for every process that uses the folder. Only its owner can read it.
 * @param make its text, when there is none yet
 */
export async function openKeyFile(path: string, make: () => Promise<string>): Promise<string> {
  return (await readFile(path, 'utf8').catch(nullIfMissing)) ?? createKeyFile(path, await make());
}

/** Written beside its place and put there whole; of two processes that do so at once, both use what the first one put. */
async function createKeyFile(path: string, text: string): Promise<string> {
  const unfinished = `${path}.${randomUUID()}`;
  try {
    await writeFile(unfinished, text, { mode: 0o600, flush: true });
    await link(unfinished, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
  const kept = await readFile(path, 'utf8').catch(nullIfMissing);
  if (kept === null) throw new Error(`${path} was removed while it was made.`);
  return kept;
}
