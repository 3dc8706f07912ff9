import { parseArgs } from 'node:util';
import { runUntilSignal } from '#server/main.ts';
import { buildIfStale } from './build-pages.ts';

// Taken before the build, which sets NODE_ENV for itself.
const environment = { ...process.env };
const { workers } = parseArgs({ options: { workers: { type: 'string' } } }).values;
if (workers !== undefined) environment['WORKERS'] = workers;
await buildIfStale(console.log);
await runUntilSignal({ environment });
