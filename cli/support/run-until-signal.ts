import { stopSignals } from '#server/platform/lifecycle/shutdown.ts';
import { Failure } from './command.ts';

/**
 * Runs work with an AbortSignal that Ctrl-C (SIGINT) or SIGTERM aborts.
 * @throws Failure when the work was aborted
 */
export async function runUntilSignal<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const name of stopSignals) process.on(name, abort);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted)
      throw new Failure('Interrupted. The unfinished output was deleted.', { cause: error });
    throw error;
  } finally {
    for (const name of stopSignals) process.off(name, abort);
  }
}
