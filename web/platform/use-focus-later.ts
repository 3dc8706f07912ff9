import { useEffect, useRef } from 'react';

/**
 * Moves the focus when the focused element is about to disappear.
 * @returns a function that focuses the first element that matches a CSS selector, as soon as it exists
 */
export function useFocusLater(): (selector: string) => void {
  const selectorRef = useRef<string>(null);
  useEffect(() => {
    const element = selectorRef.current === null ? null : document.querySelector<HTMLElement>(selectorRef.current);
    if (!element) return;
    element.focus({ preventScroll: true });
    selectorRef.current = null;
  });
  return (selector) => void (selectorRef.current = selector);
}
