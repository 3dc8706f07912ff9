import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The closing line of `.ci/run`: what the runners themselves have reported. A report that is not there is a runner that
 * has not run, and that is a failure.
 */

const results = join(import.meta.dirname, '..', 'test-results');

interface Vitest {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
}
interface Playwright {
  stats: { expected: number; unexpected: number; flaky: number };
}

const read = (name: string): unknown => {
  try {
    return JSON.parse(readFileSync(join(results, name), 'utf8'));
  } catch {
    return null;
  }
};

const vitest = read('vitest.json') as Vitest | null;
const playwright = read('playwright.json') as Playwright | null;
const passed = (vitest?.numPassedTests ?? 0) + (playwright ? playwright.stats.expected + playwright.stats.flaky : 0);
// A file that could not even be loaded has no tests to count, and counts as one.
const brokenFiles = vitest && vitest.numFailedTests === 0 ? vitest.numFailedTestSuites : 0;
const failed = (vitest ? vitest.numFailedTests + brokenFiles : 1) + (playwright ? playwright.stats.unexpected : 1);
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
