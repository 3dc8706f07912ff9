import type { Profile } from '#contract/profile.ts';

export const fullName = ({ first, middle, last }: Profile['name']): string =>
  [first, middle, last].filter(Boolean).join(' ');

const countLetters = (name: string): number => [...name.normalize('NFC').replaceAll(/\p{M}/gu, '')].length;

/** Returns the number of letters of the longest part of a name that stays on one line. */
export const longestWord = (name: string): number => Math.max(...name.split(/[\s-]+/u).map(countLetters));

export function initials(name: string): string {
  const words = name.split(/\s+/u).filter(Boolean);
  const first = [...(words[0] ?? '?')][0] ?? '?';
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : '';
  return (first + last).toUpperCase();
}

/** Returns one of six tints, from 0 to 5, always the same for a name. */
export function tintOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % 6;
}

/** Returns day and month of `YYYY-MM-DD` or `MM-DD`, such as `14/3`. The year is private (specification, section 3). */
export function dayAndMonth(date: string): string {
  const [month, day] = date.split('-').slice(-2);
  return `${Number(day)}/${Number(month)}`;
}

const birthdayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });

export const formatBirthday = (date: string): string =>
  // In a leap year, because people are born on 29 February.
  birthdayFormat.format(new Date(`2000-${date.split('-').slice(-2).join('-')}T00:00:00Z`));
