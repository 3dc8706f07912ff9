import { open } from 'node:fs/promises';

/** Returns null for a file or folder that does not exist: `readFile(…).catch(nullIfMissing)`. @throws any other error */
export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** Fsyncs a folder, so that the names of new files survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}
