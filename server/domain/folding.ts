/** Letters that Unicode does not take apart, as people without their keys type them. */
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
 * The form in which names are sorted and compared: no case, no marks above or below, no apostrophes or hyphens, so that
 * Ọládélé stands beside Oladele and O'Brien beside Obrien.
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
 * Longest searched word, in code points. A lexeme of a `tsvector` has at most 2,046 bytes, and `array_to_tsvector` truncates the
 * length of longer ones without an error. One typed character folds to at most 18 bytes and a code point has at most 4, so
 * 64 of them stay far below that limit.
 */
const maxWordCodePoints = 64;

/**
 * Returns the words by which a text is searched, folded and cut to 64 code points. Stored words and typed words both come from here, so
 * that a word which was cut is still found.
 */
export const searchWords = (text: string): string[] => fold(text).split(' ').filter(Boolean).map(truncateWord);

const truncateWord = (word: string): string => [...word].slice(0, maxWordCodePoints).join('');

/**
 * Returns the parts of a matric number from each one to the end, written together: `CSC/15/0012` is also found by "csc150012" and
 * "csc 150012".
 * @param parts its search words, in their order
 */
export const joinedParts = (parts: readonly string[]): string[] =>
  parts.slice(0, -1).map((_, at) => truncateWord(parts.slice(at).join('')));
