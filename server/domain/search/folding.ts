const foldedLetters: Record<string, string> = {
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ı: 'i',
  ɓ: 'b',
  ɗ: 'd',
  ƙ: 'k',
  ŋ: 'n',
  ɔ: 'o',
  ɛ: 'e',
};

/**
 * Folds a text for sorting and comparison: removes case, diacritics and apostrophes, and replaces other punctuation by
 * spaces. Ọládélé sorts with Oladele, and O'Brien with Obrien.
 */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[øđðłßæœþıɓɗƙŋɔɛ]/gu, (letter) => foldedLetters[letter] ?? letter)
    .replaceAll(/['’‘ʼʻ`´.]/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * Maximum length of a search word, in code points. PostgreSQL limits a `tsvector` lexeme to 2,046 bytes, and
 * `array_to_tsvector` truncates the length of longer ones without an error. One typed character folds to at most 18
 * bytes and a code point has at most 4 bytes, so 64 code points stay far below the limit.
 */
const maxWordCodePoints = 64;

/**
 * Returns the search words of a text, folded and cut to 64 code points. Stored and typed words are cut in the same way,
 * so that long words are still found.
 */
export const searchWords = (text: string): string[] => fold(text).split(' ').filter(Boolean).map(truncateWord);

const truncateWord = (word: string): string => [...word].slice(0, maxWordCodePoints).join('');

/**
 * Returns each suffix of a list of words, joined without spaces. So the matric number `CSC/15/0012` is also found by
 * "csc150012" and "csc 150012".
 * @param parts the search words of a matric number, in order
 */
export const joinedParts = (parts: readonly string[]): string[] =>
  parts.slice(0, -1).map((_, at) => truncateWord(parts.slice(at).join('')));

/** Follows every letter: `word >= prefix and word < prefix + afterPrefix` finds the words that begin with a prefix. */
export const afterPrefix = '\u{10FFFF}';
