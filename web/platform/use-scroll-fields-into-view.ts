import { useEffect } from 'react';

/**
 * Scrolls a focused field into view, within `scroll-padding`. Browsers only scroll the caret into view, so the bar below
 * the form can cover the field.
 */
export function useScrollFieldsIntoView(): void {
  useEffect(() => {
    const show = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.matches('.control')) target.scrollIntoView({ block: 'nearest' });
    };
    document.addEventListener('focusin', show);
    return () => document.removeEventListener('focusin', show);
  }, []);
}
