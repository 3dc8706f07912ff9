import { appendFileSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type Log, createLog } from '#server/platform/log/log.ts';
import { Failure } from './command.ts';

/**
 * Returns the path of the operator's audit log: JSON lines in the data folder, in the format of the server log. Each
 * line records a command and its time, without personal data.
 */
export const operatorLogPath = (dataDir: string): string => join(dataDir, 'operator.log');

/**
 * Opens the audit log. Call this before the change, so that nothing is changed if the log cannot be written. Each line is
 * fsynced before the command reports success. A line that cannot be written after the change goes to standard error.
 * @throws Failure when the file cannot be written
 */
export function openOperatorLog(dataDir: string): Log {
  const path = operatorLogPath(dataDir);
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw new Failure(
      `Cannot write the audit log ${path} (${(error as NodeJS.ErrnoException).code}). Nothing was changed. Run this command as the user that runs the server.`,
    );
  }
  const write = (line: string): void => {
    try {
      appendFileSync(path, line, { mode: 0o600, flush: true });
    } catch (error) {
      console.error(`The change was made, but could not be recorded in ${path} (${(error as Error).message}): ${line}`);
    }
  };
  return createLog('info', { write });
}
