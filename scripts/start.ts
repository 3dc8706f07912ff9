import { runUntilSignal } from '#server/main.ts';
import { buildIfStale } from './build-pages.ts';

// Taken before the build, which sets NODE_ENV for itself.
const environment = { ...process.env };
await buildIfStale(console.log);
await runUntilSignal({ environment });
