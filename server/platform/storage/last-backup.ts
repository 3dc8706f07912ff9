import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJson, writeFileAtomically } from './files.ts';

/** What is known of the last backup that was written whole. */
export interface LastBackup {
  /** The moment that it is of. */
  readonly madeAt: Date;
  /** Of its file. */
  readonly bytes: number;
}

const StoredBackup = z.object({ madeAt: z.iso.datetime(), bytes: z.number() });

/** Where it is noted, so that somebody notices when the next one does not come. It belongs to this place, and is in no backup. */
const pathOf = (dataDir: string): string => join(dataDir, 'backup.json');

/** @returns null when none is known of */
export async function readLastBackup(dataDir: string): Promise<LastBackup | null> {
  const note = await readJson(pathOf(dataDir), StoredBackup);
  return note && { madeAt: new Date(note.madeAt), bytes: note.bytes };
}

/** Notes one. @throws Error of the system's when that cannot be written */
export async function writeLastBackup(dataDir: string, { madeAt, bytes }: LastBackup): Promise<void> {
  await writeFileAtomically(pathOf(dataDir), `${JSON.stringify({ madeAt: madeAt.toISOString(), bytes })}\n`);
}
