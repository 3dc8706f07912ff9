import type { RosterFile, RosterSettings } from './roster-file.ts';
import { RosterFileError } from './roster-file.ts';

export interface ReadOptions {
  /** Replaces detected settings, for example a saved mapping or the encoding that staff chose. */
  readonly settings?: Partial<RosterSettings>;
  /** Names of the departments in `institution.json`. */
  readonly departments: readonly string[];
}

/**
 * Detects the format of a roster file and proposes the settings to read it with. Reads the whole file once.
 * @throws RosterFileError if the file cannot be read
 */
export async function readRosterFile(path: string, options: ReadOptions): Promise<RosterFile> {
  await Promise.resolve();
  throw new RosterFileError(`Not implemented: ${path} ${options.departments.length}`);
}
