import type { FastifyInstance } from 'fastify';

export interface ResponseCache<Response = string> {
  /**
   * Returns the cached response, or creates it. Concurrent calls with the same key share one `make`. A response is
   * never older than the last `clear`.
   */
  getOrCreate(key: string, make: () => Promise<Response>): Promise<Response>;
  get(key: string): Response | undefined;
  /**
   * Deletes all entries. Call it only after committing a change to the cached data: refused requests and other changes
   * must not make readers wait for the database.
   */
  clear(): void;
}

/** Maximum age of an entry. Changes by another process become visible after this time at most. */
const ttlMs = 1_000;

/** Limit on cached responses. Normal use needs fewer, but an attacker can request any number of URLs. */
const defaultMaxEntries = 1_000;

/**
 * Creates an empty cache. All entries expire at the end of each second of the clock, not one second after their
 * creation. So a response that was made from entries of another cache is not older than they may be.
 * @param now returns milliseconds
 */
export function createResponseCache<Response = string>(
  now: () => number = () => performance.now(),
  maxEntries = defaultMaxEntries,
): ResponseCache<Response> {
  const entries = new Map<string, { readonly promised: Promise<Response>; response?: Response }>();
  let currentSecond = 0;
  function find(key: string) {
    const second = Math.floor(now() / ttlMs);
    if (second !== currentSecond) entries.clear();
    currentSecond = second;
    return entries.get(key);
  }
  return {
    get: (key) => find(key)?.response,
    getOrCreate: (key, make) => {
      const known = find(key);
      if (known) return known.promised;
      const entry: NonNullable<ReturnType<typeof find>> = { promised: make() };
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
      entry.promised.then(
        (response) => (entry.response = response),
        // Failures are not cached, so the next call tries again.
        () => entries.get(key) === entry && entries.delete(key),
      );
      return entry.promised;
    },
    clear: () => entries.clear(),
  };
}

/** Clears a cache after each successful write, before its response is sent. */
export function clearOnWrites(app: FastifyInstance, cache: Pick<ResponseCache, 'clear'>): void {
  app.addHook('onSend', ({ method }, { statusCode }, _, done) => {
    if (method !== 'GET' && method !== 'HEAD' && statusCode < 400) cache.clear();
    done();
  });
}
