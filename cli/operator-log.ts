import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Log, createLog } from '#server/platform/log.ts';

/**
 * Where it is written down that an operator has done something: lines of JSON in the data folder, as the product's own log
 * has them. They say what and when, and nothing of whom it was done to.
 */
export const operatorLogPath = (dataDir: string): string => join(dataDir, 'operator.log');

/** Opens it. Each line is on disk before the command says that it is done. */
export const openOperatorLog = (dataDir: string): Log =>
  createLog('info', { write: (line) => appendFileSync(operatorLogPath(dataDir), line, { mode: 0o600, flush: true }) });
