import { useEffect, useLayoutEffect } from 'react';
import { type Location, NavigationType, useLocation, useNavigationType } from 'react-router';

/** Navigate with this state to stay where one is on the page. */
export const keepScroll = { keepsScroll: true };

const storage = 'scroll';
const positions = new Map<string, number>();

/**
 * A new page begins at its top, or at the part that its address names; Back and Forward find the place where one was.
 * The router's own way of doing so weighs three times as much (docs/decisions/0006-first-page-size.md).
 */
export function useScroll(): void {
  const location: Location<Partial<typeof keepScroll> | null> = useLocation();
  const isBack = useNavigationType() === NavigationType.Pop;
  const { key, hash, state } = location;

  useEffect(() => {
    history.scrollRestoration = 'manual';
    try {
      for (const [place, top] of JSON.parse(sessionStorage.getItem(storage) ?? '[]') as [string, number][])
        positions.set(place, top);
    } catch {
      // Where storage is forbidden, a reload begins at the top.
      return undefined;
    }
    const keep = () => sessionStorage.setItem(storage, JSON.stringify([...positions]));
    addEventListener('pagehide', keep);
    return () => removeEventListener('pagehide', keep);
  }, []);

  useLayoutEffect(() => {
    const before = isBack ? positions.get(key) : undefined;
    if (before !== undefined) scrollTo(0, before);
    else if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
    else if (!isBack && !state?.keepsScroll) scrollTo(0, 0);
    const note = () => void positions.set(key, scrollY);
    addEventListener('scroll', note, { passive: true });
    return () => removeEventListener('scroll', note);
  }, [key, hash, state, isBack]);
}
