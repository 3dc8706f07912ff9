import cluster from 'node:cluster';
import { createLog } from '#server/platform/log/log.ts';
import { exitOnSignal } from '#server/platform/lifecycle/shutdown.ts';
import { type Running, type StartOptions, start } from '#server/startup/start.ts';

/**
 * Starts the server, prints its summary, and runs until SIGINT or SIGTERM. Prints errors for the operator without a
 * stack trace.
 * @param more additional lines of the summary
 */
export async function runUntilSignal(
  options: StartOptions = {},
  more: (running: Running) => string = () => '',
): Promise<void> {
  const starting = start(options);
  const exit = exitOnSignal(async () => (await starting).stop());
  // Node would also print properties that libraries attach to errors, which can contain personal data.
  process.on('uncaughtException', (error) => {
    createLog('fatal').fatal({ err: error }, 'an unexpected error ends the product');
    process.exit(1);
  });
  try {
    const running = await starting;
    if (cluster.isPrimary) console.log(`\n${running.summary}${more(running)}\n`);
    void running.lost.then(async ({ message }) => {
      console.error(`\n${message}`);
      await exit(1);
    });
  } catch (error) {
    console.error(`\n${(error as Error).message}`);
    const { cause } = error as Error;
    if (cause instanceof Error) console.error(`(${cause.message})`);
    process.exit(1);
  }
}

if (import.meta.main) await runUntilSignal();
