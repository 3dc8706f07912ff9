import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Identity } from '#server/db/schema.ts';
import { identitiesAgree } from './identity-agreement.ts';

const ada: Identity = { firstName: 'Ada', lastName: 'Okafor', department: 'Law', yearGraduated: 2010 };

describe('identitiesAgree accepts', () => {
  test.each<[string, Partial<Identity>]>([
    ['the same values', {}],
    ['another case', { firstName: 'ADA', lastName: 'okafor' }],
    ['diacritics', { firstName: 'Àdá', lastName: 'Ọ́kafọ̀r' }],
    ['swapped names', { firstName: 'Okafor', lastName: 'Ada' }],
    ['a typed apostrophe', { lastName: '´Okafor`' }],
    ['more spaces', { firstName: ' Ada ', lastName: 'Okafor' }],
  ])('%s', (_, values) => expect(identitiesAgree({ ...ada, ...values }, ada)).toBe(true));

  test('a hyphen instead of a space', () =>
    expect(identitiesAgree({ ...ada, lastName: 'Okafor-Bello' }, { ...ada, lastName: 'Okafor Bello' })).toBe(true));

  test('words that moved between first and last name', () =>
    expect(
      identitiesAgree(
        { ...ada, firstName: 'Ada Bello', lastName: 'Okafor' },
        { ...ada, firstName: 'Ada', lastName: 'Okafor Bello' },
      ),
    ).toBe(true));
});

describe('identitiesAgree rejects', () => {
  test.each<[string, Partial<Identity>]>([
    ['another first name', { firstName: 'Ngozi' }],
    ['another last name', { lastName: 'Bello' }],
    ['a wrong letter', { lastName: 'Okafur' }],
    ['an initial', { firstName: 'A.' }],
    ['another word in a name', { lastName: 'Okafor-Bello' }],
    ['a word twice', { firstName: 'Ada Ada' }],
    ['a missing name', { firstName: '' }],
    ['a badge', { lastName: 'Okafor ★' }],
    ['a check mark that is a root sign', { lastName: 'Okafor √' }],
    ['a currency sign', { lastName: 'Okafor €' }],
    ['an enclosing mark', { lastName: 'Okafor\u20DD' }],
    ['a private character', { lastName: 'Okafor \uF8FF' }],
    ['letters that are symbols', { lastName: 'Okafor \u{1F175}\u{1F170}\u{1F17C}\u{1F174}' }],
    ['letters of flags', { lastName: 'Okafor \u{1F1FB}\u{1F1E8}' }],
    ['another department', { department: 'Physics' }],
    ['the next year', { yearGraduated: 2011 }],
    ['an unknown department', { department: null }],
    ['an unknown year', { yearGraduated: null }],
  ])('%s', (_, values) => {
    expect(identitiesAgree({ ...ada, ...values }, ada)).toBe(false);
    expect(identitiesAgree(ada, { ...ada, ...values })).toBe(false);
  });

  test('values that are unknown on both sides', () => {
    expect(identitiesAgree({ ...ada, department: null }, { ...ada, department: null })).toBe(false);
    expect(identitiesAgree({ ...ada, yearGraduated: null }, { ...ada, yearGraduated: null })).toBe(false);
    const nameless = { ...ada, firstName: '', lastName: '-' };
    expect(identitiesAgree(nameless, nameless)).toBe(false);
  });

  test('long names that differ at the end', () => {
    const long = 'a'.repeat(80);
    expect(identitiesAgree({ ...ada, firstName: `${long}b` }, { ...ada, firstName: `${long}c` })).toBe(false);
  });
});

test('identitiesAgree is symmetric and transitive', () => {
  const name = fc.constantFrom('Ada', 'ÀDA', 'Okafor', 'Ọkafor', 'Ada Okafor', 'Okafor-Ada', '');
  const identity = fc.record({
    firstName: name,
    lastName: name,
    department: fc.constantFrom('Law', 'Physics', null),
    yearGraduated: fc.constantFrom(2010, 2011, null),
  });
  fc.assert(
    fc.property(identity, identity, identity, (a, b, c) => {
      expect(identitiesAgree(a, b)).toBe(identitiesAgree(b, a));
      if (identitiesAgree(a, b) && identitiesAgree(b, c)) expect(identitiesAgree(a, c)).toBe(true);
    }),
  );
});
