import type { FastifyInstance } from 'fastify';

/** Caches responses that are the same for a whole audience, for one second at most. */
export interface ResponseCache<Response = string> {
  /**
   * Returns the cached response, or creates it. Concurrent calls with the same key share one `make`. A response is never older than
   * the last `clear`.
   */
  getOrCreate(key: string, make: () => Promise<Response>): Promise<Response>;
  /** Returns the cached response, or undefined. */
  get(key: string): Promise<Response> | undefined;
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
 * Creates an empty cache. All entries expire at the end of each second of the clock, not one second after their creation. So a response
 * that was made from entries of another cache is not older than they may be.
 * @param now returns milliseconds
 */
export function createResponseCache<Response = string>(
  now: () => number = () => performance.now(),
  maxEntries = defaultMaxEntries,
): ResponseCache<Response> {
  const entries = new Map<string, Promise<Response>>();
  let currentSecond = 0;
  function get(key: string): Promise<Response> | undefined {
    const second = Math.floor(now() / ttlMs);
    if (second !== currentSecond) entries.clear();
    currentSecond = second;
    return entries.get(key);
  }
  return {
    get,
    getOrCreate: (key, make) => {
      const known = get(key);
      if (known) return known;
      const response = make();
      entries.set(key, response);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
      // Failures are not cached, so the next call tries again.
      response.catch(() => {
        if (entries.get(key) === response) entries.delete(key);
      });
      return response;
    },
    clear: () => entries.clear(),
  };
}

/** Clears a cache after each successful write, before its response is sent. */
export function clearOnWrites(app: FastifyInstance, cache: Pick<ResponseCache, 'clear'>): void {
  app.addHook('onSend', async ({ method }, { statusCode }) => {
    if (method !== 'GET' && method !== 'HEAD' && statusCode < 400) cache.clear();
  });
}
