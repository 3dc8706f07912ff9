import { searchWords } from './folding.ts';

/** Minimum length of a prefix search: shorter texts match too much. */
export const minPrefixLength = 3;

const maxWords = 8;

/**
 * Returns a query of the table `person_words` for people who have a word with each typed word as prefix. One or two
 * letters must be a whole word.
 */
export const toWordQuery = (text: string): string =>
  // Folded words have only letters and digits, so they need no escaping. An empty query finds no one.
  searchWords(text)
    .slice(0, maxWords)
    .map((word) => (word.length < minPrefixLength ? `'${word}'` : `'${word}':*`))
    .join(' & ');
