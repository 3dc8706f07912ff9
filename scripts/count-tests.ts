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

const vitests = ['vitest.json', 'conformance.json'].map((name) => read(name) as Vitest | null);
const playwright = read('playwright.json') as Playwright | null;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const passed =
  sum(vitests.map((report) => report?.numPassedTests ?? 0)) +
  (playwright ? playwright.stats.expected + playwright.stats.flaky : 0);
const failed = sum(vitests.map(failuresOf)) + (playwright ? playwright.stats.unexpected : 1);
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

/** A file that could not even be loaded has no tests to count, and counts as one. */
function failuresOf(report: Vitest | null): number {
  if (!report) return 1;
  return report.numFailedTests === 0 ? report.numFailedTestSuites : report.numFailedTests;
}
