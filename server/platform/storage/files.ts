import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type * as z from 'zod/mini';

/**
 * Returns null when a file or folder does not exist, as in `readFile(…).catch(nullIfMissing)`.
 * @throws all other errors
 */
export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads a JSON file. Returns null when it is missing, cannot be read, or does not match the schema. */
export async function readJson<Schema extends z.ZodMiniType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return schema.safeParse(parseJson(text)).data ?? null;
}

/** Writes a file with mode 0600. Readers see either the old or the new content. @throws Error of the file system */
export async function writeFileAtomically(path: string, content: string): Promise<void> {
  const tempPath = `${path}.unfinished`;
  try {
    await writeFile(tempPath, content, { mode: 0o600 });
    await rename(tempPath, path);
  } catch (error) {
    await rm(tempPath, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Fsyncs a folder so that the names of new files survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}
