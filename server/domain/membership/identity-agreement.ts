import type { Identity } from '#server/db/schema.ts';
import { fold } from '../search/folding.ts';

/**
 * Returns whether two identities agree: the words of first and last name are equal except for case, diacritics and
 * order, and department and year of graduation are equal. An unknown value agrees with nothing. No score is involved.
 */
export const identitiesAgree = (a: Identity, b: Identity): boolean =>
  a.department !== null &&
  a.yearGraduated !== null &&
  a.department === b.department &&
  a.yearGraduated === b.yearGraduated &&
  namesAgree(a, b);

/** Returns whether the words of first and last name are equal except for case, diacritics and order. */
export function namesAgree(a: Names, b: Names): boolean {
  const words = toWords(a);
  return words !== '' && words === toWords(b);
}

type Names = Pick<Identity, 'firstName' | 'lastName'>;

/**
 * Returns the words in alphabetical order; empty without a letter. Symbols count too: a badge, or symbols that look
 * like letters, are no punctuation.
 */
const toWords = ({ firstName, lastName }: Names): string => {
  const text = `${firstName} ${lastName}`.normalize('NFKD');
  const words = fold(text);
  return (
    words && [...words.split(' ').toSorted(), ...(text.match(/[\p{So}\p{Sm}\p{Sc}\p{Co}\p{Me}]/gu) ?? [])].join(' ')
  );
};
