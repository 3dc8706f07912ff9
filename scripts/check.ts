import { runStep, staticChecks } from './steps.ts';

/* Runs the checks and tests that need no database and no browser, in less than a minute. `npm test` runs everything. */

const results = [...staticChecks, ['Unit tests', 'vitest', 'run', '--project', 'unit'] as const].map(runStep);
if (results.includes(false)) process.exit(1);
