import type { RouteObject } from 'react-router';
import { loadChunk } from './load-chunk.ts';
import type { PageHandle } from './page-handle.ts';
import { hasMainStylesOnly, loadAllStyles } from './styles.ts';

type LazyParts<Pages> = Partial<Record<'Component' | 'loader' | 'shouldRevalidate', keyof Pages>>;

/**
 * Returns a function that creates the routes of a feature, whose parts are exports of one lazily loaded chunk,
 * `features/{feature}/pages.ts`.
 * @param load imports the chunk. Each feature has only one `import()`, because each one adds code to the first page
 */
export const createLazyRoutes =
  <Pages extends object>(feature: string, load: () => Promise<Pages>) =>
  (path: string, handle: string | Omit<PageHandle, 'feature'>, parts: LazyParts<Pages>): RouteObject => ({
    path,
    lazy: Object.fromEntries(
      Object.entries(parts).map(([part, name]) => [
        part,
        async () => {
          const [pages] = await Promise.all([
            loadChunk(load),
            hasMainStylesOnly(feature) ? undefined : loadAllStyles(),
          ]);
          return pages[name];
        },
      ]),
    ),
    handle: { feature, ...(typeof handle === 'string' ? { title: handle } : handle) } satisfies PageHandle,
  });
