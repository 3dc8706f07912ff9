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

interface PlaywrightSuite {
  readonly title: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly { readonly title: string; readonly ok: boolean }[];
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

function listFailedInPlaywright({ title, suites = [], specs = [] }: PlaywrightSuite): string[] {
  const failed = specs.filter((spec) => !spec.ok).map((spec) => spec.title);
  return [...failed, ...suites.flatMap(listFailedInPlaywright)].map((name) => `${title} › ${name}`);
}

export interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly string[];
}

/** Adds up the reports in a folder. A missing report means that its runner did not run, and counts as a failure. */
export function countTests(folder: string, names: readonly string[]): TestTotals {
  let [passed, failed] = [0, 0];
  const failures: string[] = [];
  for (const name of names) {
    const report = readReport(join(folder, name));
    const { numPassedTests = 0, success = true, stats, testResults = [], suites = [] } = report ?? {};
    const found = report === null ? [`${name}: no report`] : testResults.flatMap(listFailedInVitest);
    if (!success && found.length === 0) found.push(`${name}: an error outside of all tests`);
    passed += numPassedTests + (stats ? stats.expected + stats.flaky : 0);
    failed += found.length + (stats?.unexpected ?? 0);
    failures.push(...found, ...suites.flatMap(listFailedInPlaywright));
  }
  return { passed, failed, failures };
}

function readReport(path: string): Report | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return null;
  }
}
