import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/*
 * Checks that each claim of the threat model in docs/security.md names tests that exist. A claim is an item of a list,
 * and the tests below it are written as `file › title`, or `file › title of the group › title`.
 */

const root = join(import.meta.dirname, '..');
const lines = readFileSync(join(root, 'docs/security.md'), 'utf8').split('\n');
const threatModel = lines.slice(lines.indexOf('## Threat model'), lines.indexOf('## What we do not protect against'));

const escapePattern = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`);

function findTitle(source: string, title: string, from: number): number {
  const call = new RegExp(String.raw`(?:\b(?:test|describe)(?:\.\w+)*|\))\(\s*(['"])${escapePattern(title)}\1`, 'gu');
  call.lastIndex = from;
  return call.exec(source)?.index ?? -1;
}

function findFault(reference: string): string | null {
  const [path = '', ...titles] = reference.split(' › ');
  const file = join(root, path);
  if (!/\.(?:test|spec)\.ts$/u.test(path) || !existsSync(file)) return `no such test file: ${path}`;
  const source = readFileSync(file, 'utf8');
  let from = 0;
  for (const title of titles) {
    from = findTitle(source, title, from);
    if (from < 0) return `no such test: ${reference}`;
  }
  return titles.length > 0 ? null : `no title: ${reference}`;
}

test('docs/security.md has at most 5,000 words', () =>
  expect(lines.join(' ').split(/\s+/u).filter(Boolean).length).toBeLessThanOrEqual(5000));

describe('the threat model in docs/security.md', () => {
  const references = threatModel
    .filter((line) => /^\s+- /u.test(line))
    .map((line) => /^ {2}- `(.+)`$/u.exec(line)?.[1] ?? line.trim());

  test('names only tests that exist', () => {
    expect(references.length).toBeGreaterThan(50);
    expect(references.map(findFault).filter((fault) => fault !== null)).toEqual([]);
  });

  test('names a test for each claim', () => {
    const text = threatModel.join('\n');
    const claims = text.split(/\n(?=- |#|\n)/u).filter((part) => part.startsWith('- '));
    expect(claims.length).toBeGreaterThan(30);
    expect(claims.filter((claim) => !claim.includes('\n  - `'))).toEqual([]);
  });
});
