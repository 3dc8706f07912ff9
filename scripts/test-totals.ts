import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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

interface PlaywrightTest {
  readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped';
  readonly results: readonly { readonly errors?: readonly { readonly message?: string }[] }[];
}

interface PlaywrightSuite {
  readonly title: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly { readonly title: string; readonly tests: readonly PlaywrightTest[] }[];
}

interface Report {
  /** Files and counts of Vitest's report. A file that cannot be loaded has the status `failed` and no failed test. */
  readonly testResults?: readonly VitestFile[];
  readonly numPassedTests?: number;
  /** False also for an error outside of all tests. */
  readonly success?: boolean;
  /** Suites and counts of Playwright's report. */
  readonly suites?: readonly PlaywrightSuite[];
  readonly stats?: { readonly expected: number; readonly unexpected: number; readonly flaky: number };
}

function listFailedInVitest(file: VitestFile): string[] {
  const failed = file.assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return file.status === 'failed' ? [`${file.name}\n${file.message}`] : [];
  return failed.map((test) => `${file.name} › ${test.fullName}\n${test.failureMessages.join('\n')}`);
}

function listInPlaywright(
  status: PlaywrightTest['status'],
  { title, suites = [], specs = [] }: PlaywrightSuite,
): string[] {
  const found = specs.flatMap((spec) =>
    spec.tests
      .filter((test) => test.status === status)
      .map(({ results }) => {
        const messages = results.flatMap(({ errors = [] }) => errors.map(({ message = '' }) => message));
        return [spec.title, ...messages].join('\n');
      }),
  );
  return [...found, ...suites.flatMap((suite) => listInPlaywright(status, suite))].map((name) => `${title} › ${name}`);
}

export interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly string[];
  /** Browser tests that failed, and passed on retry. They count as passed. */
  readonly flaky: readonly string[];
}

/** Adds up the reports in a folder. A missing report means that its runner did not run, and counts as a failure. */
export function countTests(folder: string, names: readonly string[]): TestTotals {
  let [passed, failed] = [0, 0];
  const failures: string[] = [];
  const flaky: string[] = [];
  for (const name of names) {
    const report = readReport(join(folder, name));
    const { numPassedTests = 0, success = true, stats, testResults = [], suites = [] } = report ?? {};
    const found = report === null ? [`${name}: no report`] : testResults.flatMap(listFailedInVitest);
    if (!success && found.length === 0) found.push(`${name}: an error outside of all tests`);
    passed += numPassedTests + (stats ? stats.expected + stats.flaky : 0);
    failed += found.length + (stats?.unexpected ?? 0);
    const listAll = (status: PlaywrightTest['status']) => suites.flatMap((suite) => listInPlaywright(status, suite));
    failures.push(...found, ...listAll('unexpected'));
    flaky.push(...listAll('flaky'));
  }
  return { passed, failed, failures, flaky };
}

function readReport(path: string): Report | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return null;
  }
}
