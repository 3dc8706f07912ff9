import { useEffect, useEffectEvent } from 'react';
import { useRevalidator } from 'react-router';

/**
 * Loads the page again when the data on the server differs from the page. A request that fails is skipped, so that the
 * page stays while the connection is lost. Nothing is requested while the page is hidden.
 * @param shown what the page shows
 * @param request requests the same from the server
 * @param delayMs time between two requests; null if nothing is awaited
 */
export function usePolling<Data>(shown: Data, request: () => Promise<Data>, delayMs: number | null): void {
  const { revalidate } = useRevalidator();
  const poll = useEffectEvent(async () => {
    if (document.hidden) return;
    const found = await request().catch(() => null);
    if (found !== null && JSON.stringify(found) !== JSON.stringify(shown)) await revalidate();
  });
  useEffect(() => {
    if (delayMs === null) return undefined;
    const timer = setInterval(() => void poll(), delayMs);
    return () => clearInterval(timer);
  }, [delayMs]);
}
