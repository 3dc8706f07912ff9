import { useState } from 'react';

/**
 * The pages of a list. The first one comes with the page's data, and may come anew while further ones are shown: then what
 * it was before stays behind it, so that nothing falls between two pages.
 * @returns the pages, and how to add a further one
 */
export function usePages<Page>(first: Page): [pages: readonly Page[], add: (page: Page) => void] {
  const [{ latest, pages }, setPages] = useState({ latest: first, pages: [first] });
  if (latest !== first) setPages({ latest: first, pages: [first, ...pages] });
  return [pages, (page) => setPages((now) => ({ ...now, pages: [...now.pages, page] }))];
}

/** What came twice counts as it came in the earlier page, which is the newer one. */
export function distinctById<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  const distinct = new Map<string, Item>();
  for (const item of items) if (!distinct.has(item.id)) distinct.set(item.id, item);
  return [...distinct.values()];
}
