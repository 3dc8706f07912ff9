/** Letters that Unicode does not take apart, as people without their keys type them. */
const letters: Record<string, string> = {
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
    .replaceAll(/[øđðłßæœþıɓɗƙŋɔɛ]/gu, (letter) => letters[letter] ?? letter)
    .replaceAll(/['’‘ʼʻ`´.]/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
