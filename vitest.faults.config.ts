import { defineConfig } from 'vitest/config';

/** Configuration of `npm run test:faults`: tests that take minutes or need the whole machine, one after another. */
export default defineConfig({
  test: {
    include: ['faults/**/*.test.ts', 'server/tests/membership-sequences/sequences.test.ts'],
    env: { MEMBERSHIP_BATCHES: '20' },
    globalSetup: ['server/testing/global-setup.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    disableConsoleIntercept: true,
    reporters: ['default', ['json', { outputFile: 'test-results/faults.json' }]],
  },
});
