import { useEffect } from 'react';

/**
 * Scrolls a focused field above a bar at the foot of its form, as `scroll-padding` says: browsers only scroll the caret
 * into view, and the bar may cover the rest of the field.
 */
export function useWholeFields(): void {
  useEffect(() => {
    const show = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.matches('.control')) target.scrollIntoView({ block: 'nearest' });
    };
    document.addEventListener('focusin', show);
    return () => document.removeEventListener('focusin', show);
  }, []);
}
