import type { Profile } from '#contract/profile.ts';

/** First, middle and last name. */
export const fullName = ({ first, middle, last }: Profile['name']): string =>
  [first, middle, last].filter(Boolean).join(' ');

/** The first letters of the first and the last word, for a portrait that is not there. */
export function initials(name: string): string {
  const words = name.split(/\s+/u).filter(Boolean);
  const first = [...(words[0] ?? '?')][0] ?? '?';
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : '';
  return (first + last).toUpperCase();
}

/** One of twelve tints, always the same for a name. */
export function tintOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % 12;
}

/** Day and month of a `YYYY-MM-DD` or `MM-DD`, e.g. `14/3`: the year stays private (specification, section 3). */
export function dayAndMonth(date: string): string {
  const [month, day] = date.split('-').slice(-2);
  return `${Number(day)}/${Number(month)}`;
}
