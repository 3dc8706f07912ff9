import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countTests } from './test-totals.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-totals-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const passedTest = { fullName: 'adds numbers', status: 'passed', failureMessages: [] };
const failedTest = { fullName: 'divides by zero', status: 'failed', failureMessages: ['expected 1'] };
const late = { errors: [{ message: 'too late' }] };
const loadedFile = { name: 'a.test.ts', status: 'failed', message: '', assertionResults: [passedTest, failedTest] };

const write = (name: string, report: object) => writeFileSync(join(folder, name), JSON.stringify(report));

describe('the totals of test reports', () => {
  test('are the sum of both runners, with the failed and the flaky tests', () => {
    write('vitest.json', { success: false, numPassedTests: 1, testResults: [loadedFile] });
    write('playwright.json', {
      stats: { expected: 3, unexpected: 1, flaky: 1 },
      suites: [
        {
          title: 'a.spec.ts',
          suites: [{ title: 'a page', specs: [{ title: 'opens', tests: [{ status: 'flaky', results: [late, {}] }] }] }],
          specs: [
            { title: 'signs in', tests: [{ status: 'unexpected', results: [late, late] }] },
            { title: 'signs out', tests: [{ status: 'expected', results: [{}] }] },
          ],
        },
      ],
    });
    expect(countTests(folder, ['vitest.json', 'playwright.json'])).toEqual({
      passed: 5,
      failed: 2,
      failures: ['a.test.ts › divides by zero\nexpected 1', 'a.spec.ts › signs in\ntoo late\ntoo late'],
      flaky: ['a.spec.ts › a page › opens\ntoo late'],
    });
  });

  test('count a file that cannot be loaded, also beside a failed test', () => {
    const brokenFile = { name: 'b.test.ts', status: 'failed', message: 'SyntaxError', assertionResults: [] };
    write('vitest.json', { success: false, numPassedTests: 1, testResults: [loadedFile, brokenFile] });
    expect(countTests(folder, ['vitest.json'])).toMatchObject({
      passed: 1,
      failed: 2,
      failures: [expect.stringContaining('divides by zero') as string, 'b.test.ts\nSyntaxError'],
    });
  });

  test('count an error outside of all tests, and a missing report', () => {
    write('vitest.json', { success: false, numPassedTests: 1, testResults: [] });
    expect(countTests(folder, ['vitest.json', 'playwright.json'])).toMatchObject({
      passed: 1,
      failed: 2,
      failures: ['vitest.json: an error outside of all tests', 'playwright.json: no report'],
    });
  });
});
