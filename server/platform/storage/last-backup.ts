import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJson, writeFileAtomically } from './files.ts';

interface LastBackup {
  /** Time when the snapshot of the data was taken. */
  readonly madeAt: Date;
  readonly bytes: number;
}

const StoredBackup = z.object({ madeAt: z.iso.datetime(), bytes: z.number() });

/**
 * Returns the path of the file about the last backup. The server reads it to detect missing backups. Backups do not
 * include it.
 */
const pathOf = (dataDir: string): string => join(dataDir, 'backup.json');

export async function readLastBackup(dataDir: string): Promise<LastBackup | null> {
  const stored = await readJson(pathOf(dataDir), StoredBackup);
  return stored && { madeAt: new Date(stored.madeAt), bytes: stored.bytes };
}

export async function writeLastBackup(dataDir: string, { madeAt, bytes }: LastBackup): Promise<void> {
  await writeFileAtomically(pathOf(dataDir), `${JSON.stringify({ madeAt: madeAt.toISOString(), bytes })}\n`);
}
