import { openOperatorLog as openLog, operatorLogPath } from '#server/platform/log/operator-log.ts';
import type { Log } from '#server/platform/log/log.ts';
import { Failure } from './command.ts';

export { operatorLogPath };

/** Opens the operator's audit log for a command. @throws Failure when the file cannot be written */
export function openOperatorLog(dataDir: string): Log {
  try {
    return openLog(dataDir);
  } catch (error) {
    throw new Failure(
      `Cannot write the audit log ${operatorLogPath(dataDir)} (${(error as NodeJS.ErrnoException).code}). Nothing was changed. Run this command as the user that runs the server.`,
    );
  }
}
