/** Answers that everybody gets alike, kept for a moment: the second one who asks costs no query. */
export interface ResponseCache {
  /**
   * The answer under this key, made anew where none is known. What `make` reads is never older than what was known when
   * the answers were forgotten the last time.
   */
  getOrCreate(key: string, make: () => Promise<string>): Promise<string>;
  /**
   * Drops all answers, after a committed write of this process to what they show. Only such writes may call it: a request that is
   * refused, or that changes something else, must not make others wait for the database.
   */
  clear(): void;
}

/** Milliseconds for which an answer may be what it was: so late, at most, is what another process has written. */
const ttlMs = 1_000;

/** Answers that are kept; more than that only somebody asks for who looks for trouble. */
const maxEntries = 1_000;

export function createResponseCache(now: () => number = () => performance.now()): ResponseCache {
  const entries = new Map<string, { readonly until: number; readonly answer: Promise<string> }>();
  return {
    getOrCreate: (key, make) => {
      const before = entries.get(key);
      if (before && before.until > now()) return before.answer;
      const entry = { until: now() + ttlMs, answer: make() };
      // At the end again: the oldest one goes first.
      entries.delete(key);
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
      // A failure is no answer: the next one who asks tries again.
      entry.answer.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.answer;
    },
    clear: () => entries.clear(),
  };
}
