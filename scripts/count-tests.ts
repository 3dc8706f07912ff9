import { join } from 'node:path';
import { root } from './steps.ts';
import { countTests } from './test-totals.ts';

/*
 * Prints the last lines of `.ci/run`: the failed tests, the flaky tests, and the totals
 * of the reports of `npm test`.
 */

const reports = ['vitest.json', 'playwright.json', 'conformance.json'];
const { passed, failed, failures, flaky } = countTests(join(root, 'test-results'), reports);
for (const test of flaky) console.log(`FLAKY (passed on retry) ${test}`);
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
