/** Caches responses that are the same for a whole audience, for one second. */
export interface ResponseCache {
  /**
   * Returns the cached response, or creates it. Concurrent calls with the same key share one `make`. A response is never older than
   * the last `clear`.
   */
  getOrCreate(key: string, make: () => Promise<string>): Promise<string>;
  /**
   * Deletes all entries. Call it only after committing a change to the cached data: refused requests and other changes
   * must not make readers wait for the database.
   */
  clear(): void;
}

/** Lifetime of an entry. Changes by another process become visible after this time at most. */
const ttlMs = 1_000;

/** Limit on cached responses. Normal use needs fewer, but an attacker can request any number of URLs. */
const maxEntries = 1_000;

/** Creates an empty cache. @param now returns milliseconds */
export function createResponseCache(now: () => number = () => performance.now()): ResponseCache {
  const entries = new Map<string, { readonly expiresAtMs: number; readonly response: Promise<string> }>();
  return {
    getOrCreate: (key, make) => {
      const before = entries.get(key);
      if (before && before.expiresAtMs > now()) return before.response;
      const entry = { expiresAtMs: now() + ttlMs, response: make() };
      // Reinserts the key at the end, so that the first key is the oldest.
      entries.delete(key);
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
      // Failures are not cached, so the next call tries again.
      entry.response.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.response;
    },
    clear: () => entries.clear(),
  };
}
