import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { readRowIds } from './scripts/conformance.ts';

const { statements, requirements } = readRowIds();

const include = ['{contract,server,web,cli,scripts}/**/*.test.ts'];

/** Test files that use the shared PostgreSQL, or start a server process with its own. */
const databaseTests = globSync(include, { cwd: import.meta.dirname }).filter((file) =>
  /inject\('databases'\)|testing\/server-process/u.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);

/** Tests in process. `npm run check` runs the project `unit` only. Browser tests are in `e2e/`. */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        // `conformance.test.ts` reads the report of this run, so it runs separately.
        test: { name: 'unit', include, exclude: ['scripts/conformance.test.ts', ...databaseTests] },
      },
      {
        extends: true,
        test: { name: 'database', include: databaseTests, globalSetup: ['server/testing/global-setup.ts'] },
      },
    ],
    tags: [
      // Ids of the rows that tests prove. Vitest rejects other tags.
      ...[...statements, ...requirements].map((name) => ({ name })),
      {
        name: 'release',
        description: 'Only needed before a release: `npm run test:faults` runs it, and `npm test` does not.',
        // 60 random choices of visibility take more than four minutes.
        timeout: 1_800_000,
      },
    ],
    environment: 'node',
    pool: 'forks',
    // More than the two cores of a small machine, because tests also wait for processes and timers.
    maxWorkers: 3,
    // Test files use separate databases and folders. Isolation would reload all modules for each, which takes a second
    // of CPU time.
    isolate: false,
    // Far longer than any test takes, so a timeout means that a test hangs, not that the machine is slow.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
  },
});
