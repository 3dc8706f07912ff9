import { expect, test } from 'vitest';
import { findDifferences } from './letter-diff.ts';

const marks = { same: ['', ''], added: ['[', ']'], missing: ['(', ')'] } as const;

const mark = (text: string, other: string) =>
  findDifferences(text, other)
    .map((part) => marks[part.kind].join(part.text))
    .join('');

test.each([
  ['Okafor', 'Okafor', 'Okafor'],
  ['OKAFOR', 'Ọkáfọ̀r', 'OKAFOR'],
  ['Okafour', 'Okafor', 'Okafo[u]r'],
  ['Okafr', 'Okafor', 'Okaf(o)r'],
  ['Okator', 'Okafor', 'Oka(f)[t]or'],
  ['20110294001X', '20110294010X', '201102940(1)0[1]X'],
  ['Balogun', 'Okafor', '[Balogun]'],
  ['ADEBAYO', 'Adebayo-Ogunbanjo', 'ADEBAYO'],
  ['Adebayo Ade-Bello', 'Bello', '[Adebayo] [Ade]-Bello'],
  ['', 'Okafor', ''],
  ['Ọládélé', '', '[Ọládélé]'],
])('findDifferences compares %s with %s', (text, other, expected) => {
  expect(mark(text, other)).toBe(expected);
});
