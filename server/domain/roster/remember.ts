const maxRemembered = 50_000;

/** Maximum length of a text whose result is remembered. Longer texts rarely repeat. */
const maxRememberedChars = 80;

export function remember<Result>(compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    if (text.length > maxRememberedChars) return compute(text);
    const known = results.get(text);
    if (known !== undefined) return known;
    const own = copyText(text);
    const result = compute(own);
    if (results.size >= maxRemembered) results.clear();
    results.set(own, result);
    return result;
  };
}

/**
 * Copies a text. A cell is a slice of a chunk of its file, and a remembered slice would keep the whole chunk in memory.
 */
const copyText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
