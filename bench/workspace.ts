import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Workspace {
  readonly folder: string;
  readonly onCleanUp: (step: () => unknown) => void;
  readonly cleanUp: () => Promise<void>;
}

/**
 * Opens the folder of a benchmark, and cleans up on Ctrl-C.
 * @param name part of the name of a temporary folder, which the clean-up deletes
 * @param data a folder to use instead, which stays
 */
export function openWorkspace(name: string, data?: string): Workspace {
  const folder = data ?? mkdtempSync(join(tmpdir(), `archive-${name}-`));
  mkdirSync(folder, { recursive: true });
  // PostgreSQL must reach its data: as root, it runs as another user.
  chmodSync(folder, 0o711);
  const steps: (() => unknown)[] = [];
  if (data === undefined) steps.push(() => rmSync(folder, { recursive: true, force: true }));
  let isDone: Promise<void> | undefined;
  const end = () => void cleanUp().finally(() => process.exit(1));

  // npm forwards Ctrl-C, so the signal arrives twice. The second signal waits for the same clean-up.
  function cleanUp(): Promise<void> {
    isDone ??= (async () => {
      for (const step of steps.toReversed()) await step();
      process.off('SIGINT', end).off('SIGTERM', end);
    })();
    return isDone;
  }
  process.on('SIGINT', end).on('SIGTERM', end);
  return { folder, onCleanUp: (step) => void steps.push(step), cleanUp };
}
