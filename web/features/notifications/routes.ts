import { type RouteObject, redirect } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/**
 * Loads the pages of this feature. Each feature has only one `import()`, because each one adds code to the first page.
 */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const handle: PageHandle = { title: 'Notifications', feature: 'notifications' };

export const notificationRoutes: RouteObject[] = [
  {
    path: paths.notification,
    lazy: {
      loader: async () => (await loadPages()).notificationLoader,
      Component: async () => (await loadPages()).NotificationPage,
    },
    handle,
  },
  // The header link in the specification uses this path (D8 in docs/conformance.md).
  { path: '/notifications', loader: () => redirect(paths.notification) },
];
