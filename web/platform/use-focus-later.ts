import { useEffect, useRef } from 'react';

/**
 * Where the focus goes when the element that has it is about to disappear.
 * @returns gives it to the first element of a CSS selector, as soon as it is there
 */
export function useFocusLater(): (selector: string) => void {
  const wanted = useRef<string>(null);
  useEffect(() => {
    const place = wanted.current === null ? null : document.querySelector<HTMLElement>(wanted.current);
    if (!place) return;
    place.focus({ preventScroll: true });
    wanted.current = null;
  });
  return (selector) => void (wanted.current = selector);
}
