import { defineConfig } from 'vitest/config';
import { readRowIds } from './scripts/conformance.ts';

const { statements, requirements } = readRowIds();

/** Logic, and the API through the application in process. What a person does in a browser is in `e2e/`. */
export default defineConfig({
  test: {
    include: ['{contract,server,web,cli,scripts}/**/*.test.ts'],
    // It reads what this run reports, and has a runner of its own.
    exclude: ['scripts/conformance.test.ts'],
    // The rows that a test proves. Vitest refuses a tag that is not in this list.
    tags: [...statements, ...requirements].map((name) => ({ name })),
    globalSetup: ['server/testing/global-setup.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    // Each file has databases and folders of its own; loading the modules anew for each takes a second of a core.
    isolate: false,
    // Far above what anything takes: a time-out here means that a test hangs, not that the machine is slow.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
  },
});
