import { existsSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfStale } from './build-pages.ts';
import { root, runStep, staticChecks } from './steps.ts';

/*
 * Runs all checks and tests, the fast ones first. The runners write their reports to `test-results`, where `.ci/run`
 * reads them.
 */

rmSync(join(root, 'test-results'), { recursive: true, force: true });

const memoryFolder = '/dev/shm';

// Test databases have a thousand files each. Creating and deleting them on a disk takes a third of the CPU time.
if (existsSync(memoryFolder)) {
  const { bavail, bsize } = statfsSync(memoryFolder);
  if (bavail * bsize > 2 * 1024 ** 3) process.env['TMPDIR'] ??= memoryFolder;
}

if (!staticChecks.every(runStep)) process.exit(1);
await buildIfStale(console.log);
// The build sets NODE_ENV.
delete process.env['NODE_ENV'];
const results = [
  runStep(['Unit and API tests', 'vitest', 'run', '--tags-filter', '!release']),
  runStep(['Browser tests', 'playwright', 'test', '--grep-invert', '@release']),
  runStep(['Conformance', 'vitest', 'run', '--config', 'vitest.conformance.config.ts']),
];
if (results.includes(false)) process.exit(1);
