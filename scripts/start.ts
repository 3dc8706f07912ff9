import { parseArgs } from 'node:util';
import { runUntilSignal } from '#server/main.ts';
import { buildIfStale } from './build-pages.ts';

// Taken before the build, which sets NODE_ENV for itself.
const environment = { ...process.env };
const workers = readWorkers();
if (workers !== undefined) environment['WORKERS'] = workers;
await buildIfStale(console.log);
await runUntilSignal({ environment });

/** A slip in an option is told in words, not as a stack. */
function readWorkers(): string | undefined {
  try {
    return parseArgs({ options: { workers: { type: 'string' } } }).values.workers;
  } catch (error) {
    const [what] = (error as Error).message.split('. ');
    console.error(
      `${what}. There is one option: npm start -- --workers 4. All other settings are environment variables: docs/configuration.md.`,
    );
    return process.exit(1);
  }
}
