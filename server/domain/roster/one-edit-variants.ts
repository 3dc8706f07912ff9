/**
 * Maximum length of a key with variants. Longer keys are only compared as typed, which limits the number of variants.
 */
const maxLength = 24;

/**
 * Returns a matric key and all keys that are one edit away: a character removed, replaced or inserted, or two
 * neighbours swapped. Digits are replaced by digits, letters by letters. About 500 keys, so that the database can look
 * up each of them in the index of the matric numbers without storing variants.
 */
export function oneEditVariants(key: string): string[] {
  if (key === '') return [];
  const characters = [...key];
  if (characters.length > maxLength) return [key];
  const keys = new Set([key]);
  for (let at = 0; at <= characters.length; at++) {
    const [before, after] = [characters.slice(0, at).join(''), characters.slice(at + 1).join('')];
    const [here = '', previous = ''] = [characters[at], characters[at - 1]];
    for (const character of new Set([...alphabetOf(here), ...alphabetOf(previous)]))
      keys.add(before + character + here + after);
    if (here === '') break;
    keys.add(before + after);
    for (const character of alphabetOf(here)) keys.add(before + character + after);
    if (previous !== '') keys.add(characters.slice(0, at - 1).join('') + here + previous + after);
  }
  return [...keys];
}

function alphabetOf(character: string): string {
  if (/\d/u.test(character)) return '0123456789';
  return /[A-Z]/u.test(character) ? 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' : '';
}
