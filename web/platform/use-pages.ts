import { useState } from 'react';

/**
 * Collects the pages of a list. If the first page is loaded again while more pages are shown, the old version stays
 * after the new one, so that no item is lost.
 * @returns the pages, and a function that adds one
 */
export function usePages<Page>(first: Page): [pages: readonly Page[], add: (page: Page) => void] {
  const [{ latest, pages }, setPages] = useState({ latest: first, pages: [first] });
  if (latest !== first) setPages({ latest: first, pages: [first, ...pages] });
  return [pages, (page) => setPages((now) => ({ ...now, pages: [...now.pages, page] }))];
}

/** Keeps the first of two items with the same id, because the first page is the newest. */
export function distinctById<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  const distinct = new Map<string, Item>();
  for (const item of items) if (!distinct.has(item.id)) distinct.set(item.id, item);
  return [...distinct.values()];
}
