import { Failure } from './command.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does work that Ctrl-C or the end of the machine may cut short: it is told by the signal, and clears up behind itself.
 * @throws Failure when it was cut short
 */
export async function untilSignal<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const name of signals) process.on(name, abort);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw new Failure('Cut short, and nothing is kept of it.', { cause: error });
    throw error;
  } finally {
    for (const name of signals) process.off(name, abort);
  }
}
