import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type * as z from 'zod/mini';

/** Returns null for a file or folder that does not exist: `readFile(…).catch(nullIfMissing)`. @throws any other error */
export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** Returns the value of a JSON text; null where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the content of a JSON file; null where it is missing, cannot be read, or does not match the schema. */
export async function readJson<Schema extends z.ZodMiniType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return schema.safeParse(parseJson(text)).data ?? null;
}

/** Writes a file that only its owner can read. Readers see the old content or all of the new one. @throws Error of the file system */
export async function writeFileAtomically(path: string, content: string): Promise<void> {
  const unfinished = `${path}.unfinished`;
  try {
    await writeFile(unfinished, content, { mode: 0o600 });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Fsyncs a folder, so that the names of new files survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}
