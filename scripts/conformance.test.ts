import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  faultsOfProofs,
  outcomesOf,
  proofsIn,
  type PlaywrightReport,
  readTable,
  type VitestReport,
} from './conformance.ts';

/*
 * The last runner of `npm test`: it holds docs/conformance.md, and the proofs in docs/security.md, against what the other two
 * have just reported.
 */

const root = join(import.meta.dirname, '..');
const table = readTable(readFileSync(join(root, 'docs/conformance.md'), 'utf8'));

function report(name: string): unknown {
  const file = join(root, 'test-results', name);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new Error(`There is no report ${file} of the runner before this one: run npm test.`);
  }
}

test('docs/conformance.md names a test for each statement', () => {
  expect(table.faults.join('\n')).toBe('');
  expect(table.rows.length).toBeGreaterThan(200);
});

const outcomes = outcomesOf(root, report('vitest.json') as VitestReport, report('playwright.json') as PlaywrightReport);

test('what docs/security.md calls a proof ran and passed', () => {
  const rows = proofsIn(readFileSync(join(root, 'docs/security.md'), 'utf8'));
  expect(rows.length).toBeGreaterThan(50);
  expect(faultsOfProofs(rows, outcomes).join('\n')).toBe('');
});

test('each row of docs/conformance.md is proved by tests that ran and passed', () => {
  const proved = table.rows.filter((row) => faultsOfProofs([row], outcomes).length === 0);
  console.log(`conformance: ${table.rows.length} rows, ${proved.length} proved`);
  expect(faultsOfProofs(table.rows, outcomes).join('\n')).toBe('');
});
