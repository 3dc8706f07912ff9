import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { nullIfMissing } from '../storage/files.ts';

/**
 * Returns the content of a key file, and creates the file if it does not exist. All processes that use the data folder
 * get the same content. The file has mode 0600.
 * @param make returns the content of a new file
 */
export async function openKeyFile(path: string, make: () => Promise<string>): Promise<string> {
  return (await readFile(path, 'utf8').catch(nullIfMissing)) ?? createKeyFile(path, await make());
}

/**
 * Creates the file atomically. If two processes create the file concurrently, both use the content of the first one.
 */
async function createKeyFile(path: string, text: string): Promise<string> {
  const tempPath = `${path}.${randomUUID()}`;
  try {
    await writeFile(tempPath, text, { mode: 0o600, flush: true });
    await link(tempPath, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(tempPath, { force: true }).catch(() => undefined);
  }
  const kept = await readFile(path, 'utf8').catch(nullIfMissing);
  if (kept === null) throw new Error(`${path} was deleted while it was being created.`);
  return kept;
}
