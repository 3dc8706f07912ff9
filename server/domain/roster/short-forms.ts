const minShortFormLetters = 3;

/** Returns whether one word is the initial of the other, or its first or last three or more letters. */
export function isShortened(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length === 1) return long.startsWith(short);
  return short.length >= minShortFormLetters && (long.startsWith(short) || long.endsWith(short));
}
