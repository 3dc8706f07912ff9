import { defineConfig } from 'vitest/config';
import { readRowIds } from './scripts/conformance.ts';

const { statements, requirements } = readRowIds();

/** Unit and API tests, in process. Browser tests are in `e2e/`. */
export default defineConfig({
  test: {
    include: ['{contract,server,web,cli,scripts}/**/*.test.ts'],
    // Reads the report of this run, so it runs separately.
    exclude: ['scripts/conformance.test.ts'],
    // Ids of the rows that tests prove. Vitest rejects other tags.
    tags: [...statements, ...requirements].map((name) => ({ name })),
    globalSetup: ['server/testing/global-setup.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    // Test files use separate databases and folders. Isolation would reload all modules for each, which takes a second of CPU time.
    isolate: false,
    // Far longer than any test takes, so a timeout means that a test hangs, not that the machine is slow.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
  },
});
