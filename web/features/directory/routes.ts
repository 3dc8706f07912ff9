import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';
import { directoryLoader } from './loader.ts';

/**
 * Loads the pages of this feature. Each feature has only one `import()`, because each one adds code to the first page.
 */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const handle: PageHandle = { title: 'Dashboard', feature: 'directory' };

export const directoryRoutes: RouteObject[] = [
  {
    path: paths.dashboard,
    loader: directoryLoader,
    lazy: { Component: async () => (await loadPages()).DashboardPage },
    handle,
  },
];
