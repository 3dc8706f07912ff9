export class ChunkError extends Error {
  override readonly name = 'ChunkError';
  /** Whether only a reload helps: the server runs another version, or the browser does not retry a failed import. */
  readonly needsReload: boolean;

  constructor(needsReload: boolean, cause: unknown) {
    super('Failed to load a script.', { cause });
    this.needsReload = needsReload;
  }
}

const checkTimeoutMs = 10_000;

const failures = new Map<string, number>();

/**
 * Loads a chunk: `loadChunk(() => import('./part.tsx'))`. A call after a failure uses a new URL, because Chromium
 * caches failed imports by their URL.
 * @throws ChunkError
 */
export const loadChunk = <Chunk>(load: () => Promise<Chunk>): Promise<Chunk> =>
  load().catch(async (error: unknown) => {
    const message = String(error);
    // The error messages of Chromium, Firefox and Safari. Safari's has no URL, but Safari retries failed imports.
    if (!/dynamically imported|importing a module/iu.test(message)) throw error;
    const url = /https?:\S+/u.exec(message)?.[0] ?? '';
    const attempt = failures.get(url) ?? 0;
    if (url && attempt > 0) {
      try {
        return (await import(/* @vite-ignore */ `${url}?${attempt}`)) as Chunk;
      } catch {
        // Checked below.
      }
    }
    failures.set(url, attempt + 1);
    const status = await fetch(url || import.meta.url, {
      method: 'HEAD',
      cache: 'no-store',
      signal: AbortSignal.timeout(checkTimeoutMs),
    }).then(
      (answer) => answer.status,
      () => 0,
    );
    throw new ChunkError(status === 404 || (status === 200 && attempt > 0), error);
  });
