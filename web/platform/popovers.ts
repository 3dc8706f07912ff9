/** Adds popovers to browsers without them: before Chrome 114, Safari 17 and Firefox 125 (decision 90). */
export async function providePopovers(): Promise<void> {
  if ('popover' in HTMLElement.prototype) return;
  const { apply } = await import('@oddbird/popover-polyfill/fn');
  // The lowest layer of the page's styles, because a browser's own styles are below all of them.
  apply({ layerName: 'theme' });
}
