import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, compareSpelling, toPhoneticKey, spellingKeys } from './spelling.ts';

test.each([
  ['chukwu', 'chuku'],
  ['ayomide', 'ayomidey'],
  ['ayomide', 'aiyomide'],
  ['phatima', 'fatima'],
  ['sholape', 'solape'],
  ['alex', 'aleks'],
  ['babatoonde', 'babatunde'],
  ['zainab', 'sainab'],
  ['yusuff', 'yusuf'],
  ['ogochukwu', 'ogochuku'],
])('toPhoneticKey gives %s and %s the same key', (a, b) => expect(toPhoneticKey(a)).toBe(toPhoneticKey(b)));

test.each([
  ['adebayo', 'adebayo', 'same'],
  ['adebayo', 'adebyao', 'one edit'],
  ['adebayo', 'adbayo', 'one edit'],
  ['olalekan', 'olelakan', 'two edits'],
  ['olalekan', 'ollkan', 'two edits'],
  // Short words allow one edit, and words of three letters none.
  ['adebayo', 'adbyo', null],
  ['ade', 'ada', null],
  ['2015', '2016', null],
  ['adebayo', 'chidinma', null],
])('compareSpelling for %s and %s returns %s', (a, b, expected) => expect(compareSpelling(a, b)).toBe(expected));

const letters = 'abcdefghiklmnoprstuwy';
const wordText = fc.array(fc.constantFrom(...letters), { minLength: 4, maxLength: 14 }).map((word) => word.join(''));
const edit = fc.record({
  kind: fc.constantFrom('delete', 'insert', 'replace', 'swap'),
  position: fc.nat(13),
  letter: fc.constantFrom(...letters),
});

function applyEdit(
  word: string,
  { kind, position, letter }: { kind: string; position: number; letter: string },
): string {
  const at = position % word.length;
  const [before, after] = [word.slice(0, at), word.slice(at + 1)];
  if (kind === 'delete') return before + after;
  if (kind === 'insert') return before + letter + word.slice(at);
  if (kind === 'replace') return before + letter + after;
  return before + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
}

test('spellingKeys returns at least one common key for two similar words', () => {
  fc.assert(
    fc.property(wordText, fc.tuple(edit, edit), (word, edits) => {
      const typed = edits.slice(0, word.length >= 8 ? 2 : 1).reduce(applyEdit, word);
      fc.pre(compareSpelling(typed, word) !== null);
      const keys = new Set(spellingKeys(word));
      return spellingKeys(typed).some((key) => keys.has(key));
    }),
    { seed: 7, numRuns: 20_000 },
  );
});

test('editDistance returns the optimal string alignment distance', () => {
  expect(editDistance('ca', 'abc', 9)).toBe(3);
  expect(editDistance('kitten', 'sitting', 9)).toBe(3);
  expect(editDistance('ab', 'ba', 9)).toBe(1);
  expect(editDistance('', 'abc', 9)).toBe(3);
  expect(editDistance('adebayo', 'chidinma', 2)).toBeGreaterThan(2);
});
