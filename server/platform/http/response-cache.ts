/** Caches responses that are the same for a whole audience, for one second. */
export interface ResponseCache {
  /**
   * Returns the cached response, or creates it. Concurrent calls with the same key share one `make`. A response is never older than
   * the last `clear`.
   */
  getOrCreate(key: string, make: () => Promise<string>): Promise<string>;
  /**
   * Deletes all entries. Call it only after committing a change to the cached data: refused requests and other changes must not make
   * readers wait for the database.
   */
  clear(): void;
}

/** Upper bound on the delay until a change of another process becomes visible. */
const ttlMs = 1_000;

/** Limits memory: normal use needs fewer entries, but an attacker can request any number of URLs. */
const maxEntries = 1_000;

/** Creates an empty cache. @param now returns milliseconds */
export function createResponseCache(now: () => number = () => performance.now()): ResponseCache {
  const entries = new Map<string, { readonly until: number; readonly answer: Promise<string> }>();
  return {
    getOrCreate: (key, make) => {
      const before = entries.get(key);
      if (before && before.until > now()) return before.answer;
      const entry = { until: now() + ttlMs, answer: make() };
      // Reinserts the key at the end, so that the first key is the oldest.
      entries.delete(key);
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
      // Failures are not cached, so the next call tries again.
      entry.answer.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.answer;
    },
    clear: () => entries.clear(),
  };
}
