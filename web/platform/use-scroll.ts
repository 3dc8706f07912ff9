import { useEffect, useLayoutEffect } from 'react';
import { type Location, NavigationType, useLocation, useNavigationType } from 'react-router';

/** Navigation state that keeps the scroll position. */
export const keepScroll = { keepsScroll: true };

const storage = 'scroll';
const positions = new Map<string, number>();

/**
 * Manages the scroll position: a new page starts at the top or at the URL's fragment, Back and Forward restore the position.
 * The router's own component is three times as large (docs/decisions/0006-first-page-size.md).
 */
export function useScroll(): void {
  const location: Location<Partial<typeof keepScroll> | null> = useLocation();
  const isBack = useNavigationType() === NavigationType.Pop;
  const { key, hash, state } = location;

  useEffect(() => {
    history.scrollRestoration = 'manual';
    try {
      for (const [locationKey, top] of JSON.parse(sessionStorage.getItem(storage) ?? '[]') as [string, number][])
        positions.set(locationKey, top);
    } catch {
      // If storage is not accessible, a reload starts at the top.
      return undefined;
    }
    const save = () => sessionStorage.setItem(storage, JSON.stringify([...positions]));
    addEventListener('pagehide', save);
    return () => removeEventListener('pagehide', save);
  }, []);

  useLayoutEffect(() => {
    const before = isBack ? positions.get(key) : undefined;
    if (before !== undefined) scrollTo(0, before);
    else if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
    else if (!isBack && !state?.keepsScroll) scrollTo(0, 0);
    const savePosition = () => void positions.set(key, scrollY);
    addEventListener('scroll', savePosition, { passive: true });
    return () => removeEventListener('scroll', savePosition);
  }, [key, hash, state, isBack]);
}
