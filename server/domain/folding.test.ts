import { expect, test } from 'vitest';
import { fold } from './folding.ts';

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
])('%j sorts as %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
  expect(fold(text.normalize('NFD'))).toBe(folded);
});
