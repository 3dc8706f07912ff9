import { parseArgs } from 'node:util';
import { runUntilSignal } from '#server/main.ts';
import { buildIfStale } from './build-pages.ts';

// Copied before the build, which changes NODE_ENV.
const environment = { ...process.env };
const workers = readWorkers();
if (workers !== undefined) environment['WORKERS'] = workers;
await buildIfStale(console.log);
await runUntilSignal({ environment });

function readWorkers(): string | undefined {
  try {
    return parseArgs({ options: { workers: { type: 'string' } } }).values.workers;
  } catch (error) {
    const [problem] = (error as Error).message.split('. ');
    console.error(
      `${problem}. The only option is --workers, e.g. npm start -- --workers 4. Set everything else with environment variables: see docs/configuration.md.`,
    );
    return process.exit(1);
  }
}
