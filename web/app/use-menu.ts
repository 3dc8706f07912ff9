import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** Stays open during hydration if it was opened before. */
export function useMenu() {
  const menu = useRef<HTMLDivElement>(null);
  const { key } = useLocation();
  const lastKey = useRef(key);
  useEffect(() => {
    // Browsers without popover support do not have this method.
    if (lastKey.current !== key) menu.current?.hidePopover?.();
    lastKey.current = key;
  }, [key]);
  return menu;
}
