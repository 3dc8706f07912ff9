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
