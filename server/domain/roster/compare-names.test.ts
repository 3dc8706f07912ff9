import { describe, expect, test } from 'vitest';
import { type NameComparison, compareNames } from './compare-names.ts';
import type { Names } from './name-words.ts';

function toNames(text: string): Names {
  const [lastName = '', firstName = '', otherNames = ''] = text.split(',').map((name) => name.trim());
  return { lastName, firstName, otherNames };
}

describe('compareNames compares', () => {
  test.each<[title: string, claim: string, entry: string, ...levels: NameComparison[]]>([
    ['equal names', 'Okafor, Ada, Eze', 'OKAFOR, ADA, EZE', 'same', 'same', 'same'],
    ['names without diacritics', 'Adéyẹmí, Ṣadé, ', 'ADEYEMI, SADE, ', 'same', 'same', 'missing'],
    ['a name written in two words', 'Adeyemi, Oluwa Seun, ', 'Adeyemi, Oluwaseun, ', 'same', 'same', 'missing'],
    ['a hyphen', 'Okafor Bello, Ada, ', 'Okafor-Bello, Ada, ', 'same', 'same', 'missing'],
    ['other names in another order', 'Eze, Ada, Obi Uche', 'Eze, Ada, UCHE OBI', 'same', 'same', 'same'],
    ['one of two surnames', 'Adebayo-Ogunbanjo, Funmi, ', 'ADEBAYO, Funmi, ', 'part', 'same', 'missing'],
    ['another spelling', 'Chuku, Phatima, ', 'Chukwu, Fatima, ', 'alike', 'alike', 'missing'],
    ['a short form of the same field', 'Okafor, Tunde, ', 'Okafor, Babatunde, ', 'same', 'short', 'missing'],
    ['an initial', 'Okafor, A., ', 'Okafor, Adaeze, ', 'same', 'short', 'missing'],
    ['the same initial', 'Okafor, A., ', 'Okafor, A, ', 'same', 'same', 'missing'],
    [
      'a last name that is the end of the first name',
      'Okafor, Adaeze, ',
      'Eze, Adaeze, ',
      'differs',
      'same',
      'missing',
    ],
    ['a last name that begins the first name', 'Ade, Musa, ', 'Bello, Adewale, ', 'differs', 'differs', 'missing'],
    ['swapped names', 'Sade, Adeyemi, ', 'Adeyemi, Sade, ', 'elsewhere', 'elsewhere', 'missing'],
    ['a former name', 'Bello, Sade, Adeyemi', 'Adeyemi, Sade, ', 'elsewhere', 'same', 'missing'],
    [
      'an equal name in another field before a short form',
      'Eze, Ada, Adaeze',
      'Eze, Adaeze, ',
      'same',
      'elsewhere',
      'missing',
    ],
    ['an initial in another field', 'Eze, Uche, A.', 'Eze, A, ', 'same', 'differs', 'missing'],
    ['other names that the claim lacks', 'Eze, Ada, ', 'Eze, Ada, Obi', 'same', 'same', 'missing'],
    ['other names that are the first name of the claim', 'Eze, Obi, ', 'Eze, Ada, Obi', 'same', 'differs', 'elsewhere'],
    ['different names', 'Bello, Musa, Ali', 'Eze, Ada, Obi', 'differs', 'differs', 'differs'],
    ['names in another script', '李, 明, ', 'Li, Ming, ', 'differs', 'differs', 'missing'],
    ['punctuation as a name', '-, -, -', '-, Ada, ', 'missing', 'missing', 'missing'],
  ])('%s', (_, claim, entry, lastName, firstName, otherNames) =>
    expect(compareNames(toNames(claim), toNames(entry))).toEqual({ lastName, firstName, otherNames }),
  );
});
