import { searchWords } from '../folding.ts';
import { toPhoneticKey } from '../spelling.ts';

/** Maximum number of remembered sounds: a few MB. */
const maxSounds = 50_000;
const sounds = new Map<string, string>();

/** Returns how a word sounds. Remembers it, because names repeat in a roster and computing it takes most of the time of a row. */
function soundOf(word: string): string {
  const known = sounds.get(word);
  if (known !== undefined) return known;
  const sound = toPhoneticKey(word);
  if (sounds.size >= maxSounds) sounds.clear();
  sounds.set(word, sound);
  return sound;
}

/**
 * Returns the folded words of a name. A name of several words is also returned as one word, because spaces and hyphens are set differently:
 * Oluwa Seun and Oluwaseun, Okafor-Bello and Okafor Bello.
 */
export function nameWords(name: string): string[] {
  const words = searchWords(name);
  return words.length > 1 ? [...words, words.join('')] : words;
}

/** Names of a claim or of an entry. */
export interface Names {
  readonly lastName: string;
  readonly firstName: string;
  /** Middle and former names. */
  readonly otherNames: string;
}

/** Returns the words of all names. Other names are separate names, so they are not joined. */
export const allNameWords = ({ lastName, firstName, otherNames }: Names): string[] => [
  ...new Set([...nameWords(lastName), ...nameWords(firstName), ...searchWords(otherNames)]),
];

/**
 * Returns the column `words` of an entry: the folded words of all names, and how they sound (`toPhoneticKey`). Entries are found by the
 * sounds, and the rarity of a name is counted by its words.
 */
export function toEntryWords(names: Names): string[] {
  const words = allNameWords(names);
  return [...new Set([...words, ...words.map(soundOf)])].toSorted();
}
