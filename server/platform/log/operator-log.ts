import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Log, createLog } from './log.ts';

/**
 * Returns the path of the operator's audit log: JSON lines in the data folder, in the format of the server log. Each
 * line records a command and its time, or the daily state of the audit log, without personal data.
 */
export const operatorLogPath = (dataDir: string): string => join(dataDir, 'operator.log');

/**
 * Opens the operator's audit log. Call this before the change, so that nothing is changed if the log cannot be written.
 * Each line is fsynced before the caller continues. A line that cannot be written after the change goes to standard
 * error.
 * @throws Error with the code of the file system when the file cannot be written
 */
export function openOperatorLog(dataDir: string): Log {
  const path = operatorLogPath(dataDir);
  closeSync(openSync(path, 'a', 0o600));
  const write = (line: string): void => {
    try {
      appendFileSync(path, line, { mode: 0o600, flush: true });
    } catch (error) {
      process.stderr.write(
        `The change was made, but could not be recorded in ${path} (${(error as Error).message}): ${line}\n`,
      );
    }
  };
  return createLog('info', { write });
}

const auditHeadMessage = 'last record of the audit log';

/** Writes the last record of the audit log, so that a later check notices if the end of the log was cut off. */
export function logAuditHead(dataDir: string, head: { readonly records: number; readonly hash: string }): void {
  openOperatorLog(dataDir).info({ audit: true, records: head.records, hash: head.hash }, auditHeadMessage);
}

/**
 * Returns the last record of the audit log that was written to the operator log, and when (in ms since 1970), or null.
 */
export function readLoggedAuditHead(dataDir: string): { records: number; hash: string; time: number } | null {
  let text: string;
  try {
    text = readFileSync(operatorLogPath(dataDir), 'utf8');
  } catch {
    return null;
  }
  const line = text.split('\n').findLast((one) => one.includes(`"${auditHeadMessage}"`));
  return line === undefined ? null : (JSON.parse(line) as { records: number; hash: string; time: number });
}
