/** Loads the polyfill of the Popover API where it is missing: before Chrome 114, Safari 17 and Firefox 125. */
export async function polyfillPopovers(): Promise<void> {
  if ('popover' in HTMLElement.prototype) return;
  const { apply } = await import('@oddbird/popover-polyfill/fn');
  // The lowest cascade layer, so that the page's styles override those of the polyfill.
  apply({ layerName: 'theme' });
}
