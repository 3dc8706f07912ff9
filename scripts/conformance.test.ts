import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  findFaults,
  type PlaywrightSuite,
  readPlaywrightTests,
  readRowIds,
  type VitestReport,
  readVitestTests,
} from './conformance.ts';

/*
 * The last runner of `npm test`. It compares docs/conformance.md and docs/security.md with the reports of the other
 * two runners.
 */

function readReport(name: string): unknown {
  const file = join(import.meta.dirname, '../test-results', name);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new Error(`The report ${file} is missing. Run npm test, which writes it.`);
  }
}

const { statements, requirements, faults } = readRowIds();
const ids = [...statements, ...requirements];
const tests = [
  ...readVitestTests(readReport('vitest.json') as VitestReport),
  ...readPlaywrightTests(readReport('playwright.json') as PlaywrightSuite),
];

describe('docs/conformance.md and docs/security.md', () => {
  test('have well-formed rows with unique ids', () => {
    expect(faults.join('\n')).toBe('');
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(statements.length).toBeGreaterThan(200);
    expect(requirements.length).toBeGreaterThan(50);
  });

  test('have a row for each tag of a test', () => {
    const known = new Set([...ids, 'desk', 'both', 'release']);
    const unknown = tests.flatMap(({ name, tags }) =>
      tags.filter((tag) => !known.has(tag)).map((tag) => `${tag}: ${name}`),
    );
    expect(unknown.join('\n')).toBe('');
  });

  test('have only rows whose tests ran and passed', () => {
    const proved = statements.filter((id) => findFaults(id, tests).length === 0);
    console.log(`conformance: ${statements.length} rows, ${proved.length} proved`);
    expect(ids.flatMap((id) => findFaults(id, tests)).join('\n')).toBe('');
  });
});
