import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/**
 * Loads the pages of this feature. Each feature has only one `import()`, because each one adds code to the first page.
 */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const handle: PageHandle = { title: 'Search', feature: 'search' };

export const searchRoutes: RouteObject[] = [
  {
    path: paths.search,
    lazy: {
      loader: async () => (await loadPages()).searchLoader,
      Component: async () => (await loadPages()).SearchPage,
    },
    handle,
  },
];
