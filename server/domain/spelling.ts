/*
 * How words are misspelled, in pure functions. A word is known under each form that it has when a letter or two are left out
 * of its beginning, and under its sound; whoever leaves letters out of what was typed meets it there (symmetric deletion,
 * W. Garbe 2012). What meets is then measured: a key is only a place to look.
 */

/** Letters at the beginning of a word that count for its keys; further on a slip costs no key, only distance. */
const maxKeyLetters = 8;

/** From this length on, a word forgives two slips, and before that one. */
const minLettersForTwoEdits = 8;

/** The shortest word that forgives anything. */
const minLetters = 4;

/** Words that are spelled with letters alone, and are long enough to be spelled in another way. */
export const canBeMisspelled = (word: string): boolean => word.length >= minLetters && /^\p{L}+$/u.test(word);

/** The keys under which a word is known, or looked for: whole numbers of 32 bits. */
export function spellingKeys(word: string): number[] {
  if (!canBeMisspelled(word)) return [];
  const start = word.slice(0, maxKeyLetters);
  // Six letters may be eight of which two were lost: those eight are known without them, and these without the last one.
  const depth = word.length >= minLettersForTwoEdits - 1 ? 2 : 1;
  const forms = new Set([start]);
  let last = [start];
  for (let step = 0; step < depth; step++) {
    last = last.flatMap((form) => Array.from(form, (_, at) => form.slice(0, at) + form.slice(at + 1)));
    for (const form of last) forms.add(form);
  }
  return [...new Set([...forms, `~${toPhoneticKey(word)}`].map(hash))];
}

/** FNV-1a, 32 bits: two forms with one number are told apart by measuring. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value | 0;
}

const sounds: readonly [RegExp, string][] = [
  [/ph/gu, 'f'],
  [/gh|gb/gu, 'b'],
  [/x/gu, 'ks'],
  [/ck|q|c(?!h)/gu, 'k'],
  [/sh|z/gu, 's'],
  [/ee|ea/gu, 'i'],
  [/oo|ou/gu, 'u'],
  // Between vowels it glides, however it is written.
  [/(?<=[aeou])[iy]+(?=[aeou])/gu, 'y'],
  [/w(?=u)|(?<=k)w/gu, ''],
  [/(.)\1+/gu, '$1'],
  [/h$/u, ''],
  [/ey$/u, 'e'],
  [/y$/u, 'i'],
];

/** How a folded word sounds to somebody who writes down what they hear: Chukwu as Chuku, Ayomide as Aiyomidey. */
export const toPhoneticKey = (word: string): string =>
  sounds.reduce((sound, [pattern, heard]) => sound.replace(pattern, heard), word);

/** How far what was typed is from a word. */
export type SpellingMatch = 'same' | 'sound' | 'one slip' | 'two slips';

/** Null when they are not the same word, as far as one can tell. */
export function compareSpelling(typed: string, word: string): SpellingMatch | null {
  if (typed === word) return 'same';
  if (!canBeMisspelled(typed) || !canBeMisspelled(word)) return null;
  const forgiven = Math.max(typed.length, word.length) >= minLettersForTwoEdits ? 2 : 1;
  const slips = editDistance(typed, word, forgiven);
  if (slips === 1) return 'one slip';
  if (toPhoneticKey(typed) === toPhoneticKey(word)) return 'sound';
  return slips === 2 && forgiven === 2 ? 'two slips' : null;
}

/**
 * Letters too many, too few, wrong, or swapped with the next one (optimal string alignment).
 * @returns anything above `most` as soon as it is certain
 */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    if (Math.min(...next) > most) return most + 1;
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
