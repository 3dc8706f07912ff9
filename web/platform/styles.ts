import allStyles from '#web/styles/all.css?url';

/**
 * Loads the stylesheet of a lazily loaded component. The bundler's solution would add 0.5 KB to every first page.
 * @param url the URL from `import url from './part.css?url'`
 */
export function loadStyles(url: string): Promise<void> {
  return new Promise((resolve) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = url;
    // Ignore a missing stylesheet: the component still works.
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
}

/** Returns whether the inline styles of each page (`main.css`) are enough for a feature. */
export const hasMainStylesOnly = (feature: string): boolean => feature === 'directory';

let all: Promise<void> | undefined;

/**
 * Loads the styles of all pages. The dashboard, which most visits begin with, has only its own inline; the pages of
 * every other feature wait for this function. A page that the server rendered for such a feature has them inline.
 */
export const loadAllStyles = (): Promise<void> | undefined =>
  typeof document === 'undefined' || document.querySelector('style[data-all]')
    ? undefined
    : (all ??= loadStyles(allStyles));
