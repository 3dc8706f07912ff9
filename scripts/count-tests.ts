import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Prints the last lines of `.ci/run`: the names of the failed tests and the totals of the test reports. A missing report means that its
 * runner did not run, and counts as a failure.
 */

interface VitestFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
}

interface PlaywrightSuite {
  readonly title: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly { readonly title: string; readonly ok: boolean }[];
}

interface Report {
  /** Files and counts of Vitest's report. A file that cannot be loaded is a failed suite. */
  readonly testResults?: readonly VitestFile[];
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly numFailedTestSuites?: number;
  /** Suites and counts of Playwright's report. */
  readonly suites?: readonly PlaywrightSuite[];
  readonly stats?: { readonly expected: number; readonly unexpected: number; readonly flaky: number };
}

function listFailedInVitest(file: VitestFile): string[] {
  const failed = file.assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return file.status === 'failed' ? [`${file.name}\n${file.message}`] : [];
  return failed.map((test) => `${file.name} › ${test.fullName}\n${test.failureMessages.join('\n')}`);
}

function listFailedInPlaywright({ title, suites = [], specs = [] }: PlaywrightSuite): string[] {
  const failed = specs.filter((spec) => !spec.ok).map((spec) => spec.title);
  return [...failed, ...suites.flatMap(listFailedInPlaywright)].map((name) => `${title} › ${name}`);
}

let [passed, failed] = [0, 0];
for (const name of ['vitest.json', 'playwright.json', 'conformance.json']) {
  try {
    const report = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'test-results', name), 'utf8')) as Report;
    const {
      numPassedTests = 0,
      numFailedTests = 0,
      numFailedTestSuites = 0,
      stats,
      testResults = [],
      suites = [],
    } = report;
    passed += numPassedTests + (stats ? stats.expected + stats.flaky : 0);
    failed += (numFailedTests || numFailedTestSuites) + (stats?.unexpected ?? 0);
    for (const line of [...testResults.flatMap(listFailedInVitest), ...suites.flatMap(listFailedInPlaywright)])
      console.log(`FAILED ${line}`);
  } catch {
    console.log(`FAILED ${name}: no report`);
    failed++;
  }
}
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
