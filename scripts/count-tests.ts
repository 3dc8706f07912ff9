import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The closing line of `.ci/run`: what the runners themselves have reported. A report that is not there is a runner that
 * has not run, and that is a failure.
 */

interface Report {
  /** Vitest's. A file that could not even be loaded is a suite that failed. */
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly numFailedTestSuites?: number;
  /** Playwright's. */
  readonly stats?: { readonly expected: number; readonly unexpected: number; readonly flaky: number };
}

let [passed, failed] = [0, 0];
for (const name of ['vitest.json', 'playwright.json', 'conformance.json']) {
  try {
    const report = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'test-results', name), 'utf8')) as Report;
    const { numPassedTests = 0, numFailedTests = 0, numFailedTestSuites = 0, stats } = report;
    passed += numPassedTests + (stats ? stats.expected + stats.flaky : 0);
    failed += (numFailedTests || numFailedTestSuites) + (stats?.unexpected ?? 0);
  } catch {
    failed++;
  }
}
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
