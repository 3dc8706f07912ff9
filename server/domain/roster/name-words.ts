import { searchWords } from '../search/folding.ts';
import { toPhoneticKey } from '../search/spelling.ts';
import { remember } from './remember.ts';

const wordsOf = remember<readonly string[]>(searchWords);
const soundOf = remember(toPhoneticKey);

/**
 * Returns the folded words of a name. A name of several words is also returned as one word, because spaces and hyphens
 * vary:
 * Oluwa Seun and Oluwaseun, Okafor-Bello and Okafor Bello.
 */
export function nameWords(name: string): string[] {
  const words = wordsOf(name);
  return words.length > 1 ? [...words, words.join('')] : [...words];
}

export interface Names {
  readonly lastName: string;
  readonly firstName: string;
  readonly otherNames: string;
}

/** Returns the words of all names. Other names are separate names, so they are not joined. */
export const allNameWords = ({ lastName, firstName, otherNames }: Names): string[] => [
  ...new Set([...nameWords(lastName), ...nameWords(firstName), ...wordsOf(otherNames)]),
];

/**
 * Returns the column `words` of an entry: the folded words of all names, and how they sound (`toPhoneticKey`). Entries
 * are found by the sounds, and the rarity of a name is counted by its words.
 */
export const toEntryWords = ({ lastName, firstName, otherNames }: Names): string[] =>
  [
    ...new Set([...wordsAndSounds(lastName), ...wordsAndSounds(firstName), ...otherWordsAndSounds(otherNames)]),
  ].toSorted();

const addSounds = (words: readonly string[]): string[] => [...words, ...words.map(soundOf)];
const wordsAndSounds = remember<readonly string[]>((name) => addSounds(nameWords(name)));
const otherWordsAndSounds = remember<readonly string[]>((names) => addSounds(wordsOf(names)));
