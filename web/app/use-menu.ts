import { useEffect, useRef } from 'react';
import { useLocation, useNavigation } from 'react-router';

/** Closes at the start of a navigation. Stays open during hydration if it was opened before. */
export function useMenu() {
  const menu = useRef<HTMLDivElement>(null);
  const { key } = useLocation();
  const { state } = useNavigation();
  const lastKey = useRef(key);
  useEffect(() => {
    if (lastKey.current !== key || state === 'loading') menu.current?.hidePopover();
    lastKey.current = key;
  }, [key, state]);
  return menu;
}
