import type { RosterSettings } from './roster-file.ts';

interface SplitName {
  readonly lastName: string | null;
  readonly firstName: string | null;
  readonly otherNames: string | null;
}

const removeTitles = (name: string): string =>
  name
    .replaceAll(/\(\s*(?:mr|mrs|miss|ms|dr)\.?\s*\)/giu, ' ')
    .replace(/^(?:(?:mr|mrs|miss|ms|dr|prof|engr|alhaji|alhaja)(?:\.\s*|\s+))+/iu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/** Splits a full name. A comma separates the last name, in any order. A single word is a last name. */
export function splitName(fullName: string, order: RosterSettings['nameOrder']): SplitName {
  const name = removeTitles(fullName);
  const comma = name.indexOf(',');
  if (comma > 0) return toNames(name.slice(0, comma), name.slice(comma + 1).split(/[\s,]+/u));
  const words = name.replace(/^,/u, '').trim().split(' ');
  if (words.length === 1 || order === 'last-first') return toNames(words[0] ?? '', words.slice(1));
  return toNames(words.at(-1) ?? '', words.slice(0, -1));
}

function toNames(lastName: string, others: readonly string[]): SplitName {
  const [firstName = '', ...rest] = others.filter(Boolean);
  return { lastName: lastName.trim() || null, firstName: firstName || null, otherNames: rest.join(' ') || null };
}

/**
 * Returns the order of a full name if its form shows it: `ADEYEMI, Olu` and `ADEYEMI Olu` are last-first, `Olu ADEYEMI`
 * is first-last. Null if it does not.
 */
export function recognizeNameOrder(fullName: string): RosterSettings['nameOrder'] | null {
  const name = removeTitles(fullName);
  if (name.indexOf(',') > 0) return 'last-first';
  const words = name.split(' ');
  const [first = '', last = ''] = [words[0], words.at(-1)];
  if (words.length < 2 || isUpperCase(first) === isUpperCase(last)) return null;
  return isUpperCase(first) ? 'last-first' : 'first-last';
}

const isUpperCase = (word: string): boolean =>
  word.replaceAll(/[^\p{L}]/gu, '').length > 1 && word === word.toUpperCase();
