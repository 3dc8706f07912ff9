import { expect, test } from 'vitest';
import { createRandom } from '../seed/random.ts';
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

test('spellingKeys returns a common key for all similar words', () => {
  const random = createRandom(7);
  const letters = 'abcdefghiklmnoprstuwy';
  const letter = () => letters.charAt(random.whole(0, letters.length - 1));
  const edits: ((word: string, at: number) => string)[] = [
    (word, at) => word.slice(0, at) + word.slice(at + 1),
    (word, at) => word.slice(0, at) + letter() + word.slice(at),
    (word, at) => word.slice(0, at) + letter() + word.slice(at + 1),
    (word, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
  ];
  for (let time = 0; time < 20_000; time++) {
    const word = Array.from({ length: random.whole(4, 14) }, letter).join('');
    let typed = word;
    for (let edit = 0; edit < (word.length >= 8 ? 2 : 1); edit++)
      typed = random.pick(edits)(typed, random.whole(0, typed.length - 1));
    if (compareSpelling(typed, word) === null) continue;
    const keys = new Set(spellingKeys(word));
    expect([word, typed, spellingKeys(typed).some((key) => keys.has(key))]).toEqual([word, typed, true]);
  }
});

test('editDistance returns the optimal string alignment distance', () => {
  expect(editDistance('ca', 'abc', 9)).toBe(3);
  expect(editDistance('kitten', 'sitting', 9)).toBe(3);
  expect(editDistance('ab', 'ba', 9)).toBe(1);
  expect(editDistance('', 'abc', 9)).toBe(3);
  expect(editDistance('adebayo', 'chidinma', 2)).toBeGreaterThan(2);
});
