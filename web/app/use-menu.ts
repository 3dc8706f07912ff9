import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** A popover that closes when one goes elsewhere; not when the page gets live, for it may have been opened before. */
export function useMenu() {
  const menu = useRef<HTMLDivElement>(null);
  const { key } = useLocation();
  const place = useRef(key);
  useEffect(() => {
    // A browser that does not know popovers has no such method.
    if (place.current !== key) menu.current?.hidePopover?.();
    place.current = key;
  }, [key]);
  return menu;
}
