/*
 * Spelling correction in pure functions, by symmetric deletion (SymSpell, W. Garbe 2012). The keys of a word are its
 * first letters with up to two letters deleted, and its phonetic key. Two words that share a key are candidates;
 * `compareSpelling` then measures the edit distance.
 */

const maxKeyLetters = 8;

const minLettersForTwoEdits = 8;

const minLetters = 4;

export const canBeMisspelled = (word: string): boolean => word.length >= minLetters && /^\p{L}+$/u.test(word);

export function spellingKeys(word: string): number[] {
  if (!canBeMisspelled(word)) return [];
  const start = word.slice(0, maxKeyLetters);
  // A word one letter below the limit may be a longer word that lost a letter, so it needs two deletions as well.
  const depth = word.length >= minLettersForTwoEdits - 1 ? 2 : 1;
  const forms = new Set([start]);
  let last = [start];
  for (let step = 0; step < depth; step++) {
    last = last.flatMap((form) => Array.from(form, (_, at) => form.slice(0, at) + form.slice(at + 1)));
    for (const form of last) forms.add(form);
  }
  return [...new Set([...forms, `~${toPhoneticKey(word)}`].map(hash))];
}

/** Returns the 32-bit FNV-1a hash. Collisions are harmless, because the edit distance is checked afterwards. */
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
  // Between vowels, "i" and "y" sound the same.
  [/(?<=[aeou])[iy]+(?=[aeou])/gu, 'y'],
  [/w(?=u)|(?<=k)w/gu, ''],
  [/(.)\1+/gu, '$1'],
  [/h$/u, ''],
  [/ey$/u, 'e'],
  [/y$/u, 'i'],
];

/**
 * Returns the phonetic key of a folded word. Spellings that sound alike share it: Chukwu and Chuku, Ayomide and
 * Aiyomidey.
 */
export const toPhoneticKey = (word: string): string =>
  sounds.reduce((sound, [pattern, replacement]) => sound.replace(pattern, replacement), word);

export type SpellingMatch = 'same' | 'sound' | 'one edit' | 'two edits';

export function compareSpelling(typed: string, word: string): SpellingMatch | null {
  if (typed === word) return 'same';
  if (!canBeMisspelled(typed) || !canBeMisspelled(word)) return null;
  const maxEdits = Math.max(typed.length, word.length) >= minLettersForTwoEdits ? 2 : 1;
  const edits = editDistance(typed, word, maxEdits);
  if (edits === 1) return 'one edit';
  if (toPhoneticKey(typed) === toPhoneticKey(word)) return 'sound';
  return edits === 2 && maxEdits === 2 ? 'two edits' : null;
}

/**
 * Returns the number of inserted, deleted, replaced or swapped letters (optimal string alignment distance). Stops early
 * above `maxDistance`.
 * @returns a number above `maxDistance` if the distance exceeds it
 */
export function editDistance(a: string, b: string, maxDistance: number): number {
  if (Math.abs(a.length - b.length) > maxDistance) return maxDistance + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let minimum = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        minimum = Math.min(minimum, (before[j - 2] ?? 0) + 1);
      next.push(minimum);
    }
    if (Math.min(...next) > maxDistance) return maxDistance + 1;
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
