import { stopSignals } from '#server/platform/lifecycle/shutdown.ts';
import { Failure } from './command.ts';

/**
 * Runs work that Ctrl-C or a shutdown of the machine aborts through an AbortSignal.
 * @throws Failure when it was aborted
 */
export async function untilSignal<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const name of stopSignals) process.on(name, abort);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw new Failure('Cut short, and nothing is kept of it.', { cause: error });
    throw error;
  } finally {
    for (const name of stopSignals) process.off(name, abort);
  }
}
