import { buildIfStale } from './build-pages.ts';
import { runStep } from './steps.ts';

/*
 * Runs what only a release needs: the fault tests in `faults/`, one after another, and the tests with the tag
 * `release`. `npm run test:faults [-- NAME]`: arguments go to the test runners, e.g. a part of a file name.
 */

await buildIfStale(console.log);
// The build sets NODE_ENV.
delete process.env['NODE_ENV'];
const names = process.argv.slice(2);
const args = ['--passWithNoTests', ...names];
// The report of `npm test` stays.
process.env['PLAYWRIGHT_JSON_OUTPUT_FILE'] = 'test-results/release-browser.json';
const results = [
  runStep([
    'Release tests',
    'vitest',
    'run',
    '--tags-filter',
    'release',
    '--outputFile.json',
    'test-results/release.json',
    ...args,
  ]),
  runStep(['Browser release tests', 'playwright', 'test', '--grep', '@release', '--pass-with-no-tests', ...names]),
  runStep(['Fault tests', 'vitest', 'run', '--config', 'vitest.faults.config.ts', ...args]),
];
if (results.includes(false)) process.exit(1);
