import { RosterFileError, type RosterSettings } from './roster-file.ts';
import type { RosterRow, RowError } from './roster-row.ts';

/**
 * Reads the rows of a roster file in order, with constant memory. The errors of a row precede it.
 * @param settings from `readRosterFile`
 * @throws RosterFileError if the file cannot be read, or the settings lack a required field
 */
export async function* readRosterRows(path: string, settings: RosterSettings): AsyncGenerator<RosterRow | RowError> {
  await Promise.resolve();
  yield* [];
  throw new RosterFileError(`Not implemented: ${path} ${settings.headerLine}`);
}
