import { expect, test } from 'vitest';
import { fold, searchWords } from './folding.ts';

test.each([
  ['Ọládélé', 'oladele'],
  ["O'Brien", 'obrien'],
  ['O’BRIEN', 'obrien'],
  ['Ṣóbọ̀wálé', 'sobowale'],
  ['Ɗanjuma', 'danjuma'],
  ['Ƙasim', 'kasim'],
  ['Da-Costa', 'da costa'],
  ['  Ngọzi   Ifeanyị ', 'ngozi ifeanyi'],
  ['Łukasz Straße', 'lukasz strasse'],
  ['Dr. Ada', 'dr ada'],
  ['李小龍', '李小龍'],
  ['', ''],
  // Stored for "I have none".
  ['-', ''],
])('fold converts %j to %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
  expect(fold(text.normalize('NFD'))).toBe(folded);
});

test('searchWords shortens each word to 64 code points without splitting surrogate pairs', () => {
  expect(searchWords(`Ada ${'𐐀'.repeat(65)}`)).toEqual(['ada', '𐐨'.repeat(64)]);
});
