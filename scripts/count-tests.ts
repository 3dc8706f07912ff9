import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Prints the last line of `.ci/run`: the totals of the test reports. A missing report means that its runner did not run, and counts as a
 * failure.
 */

interface Report {
  /** Test counts from Vitest's report. A file that cannot be loaded is a failed suite. */
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly numFailedTestSuites?: number;
  /** Test counts from Playwright's report. */
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
