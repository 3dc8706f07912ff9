import { appendFileSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type Log, createLog } from '#server/platform/log/log.ts';
import { Failure } from './command.ts';

/**
 * Where it is written down that an operator has done something: lines of JSON in the data folder, as the product's own log
 * has them. They say what and when, and nothing of whom it was done to.
 */
export const operatorLogPath = (dataDir: string): string => join(dataDir, 'operator.log');

/**
 * Opens it, before anything is done. Each line is on disk before the command says that it is done; one that cannot be written then
 * is said on standard error, for what was done is done.
 * @throws Failure when it cannot be written to
 */
export function openOperatorLog(dataDir: string): Log {
  const path = operatorLogPath(dataDir);
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw new Failure(
      `${path} cannot be written to (${(error as NodeJS.ErrnoException).code}), and what an operator does is written down there. Nothing was changed. Run this as the user that runs the product.`,
    );
  }
  const write = (line: string): void => {
    try {
      appendFileSync(path, line, { mode: 0o600, flush: true });
    } catch (error) {
      console.error(`It is done, but ${path} could not be written (${(error as Error).message}): ${line}`);
    }
  };
  return createLog('info', { write });
}
