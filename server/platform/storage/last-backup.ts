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

const Note = z.object({ madeAt: z.iso.datetime(), bytes: z.number() });

/** Where it is noted, so that somebody notices when the next one does not come. It belongs to this place, and is in no backup. */
const noteOf = (dataDir: string): string => join(dataDir, 'backup.json');

/** @returns null when none is known of */
export async function readLastBackup(dataDir: string): Promise<LastBackup | null> {
  const note = await readJson(noteOf(dataDir), Note);
  return note && { madeAt: new Date(note.madeAt), bytes: note.bytes };
}

/** Notes one. @throws Error of the system's when that cannot be written */
export async function noteBackup(dataDir: string, { madeAt, bytes }: LastBackup): Promise<void> {
  await writeFileAtomically(noteOf(dataDir), `${JSON.stringify({ madeAt: madeAt.toISOString(), bytes })}\n`);
}
