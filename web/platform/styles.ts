/**
 * Brings in the styles of a part that is loaded lazily, and waits for them. By hand, because the bundler's own way of doing
 * so adds half a kilobyte to every first page.
 * @param url as `import url from './part.css?url'` gives it
 */
export function loadStyles(url: string): Promise<void> {
  return new Promise((resolve) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = url;
    // Unstyled is better than not at all.
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
}
