import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/**
 * Loads the pages of this feature. Each feature has only one `import()`, because each one adds code to the first page.
 */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const handle: PageHandle = { title: 'Settings', feature: 'settings' };

export const settingsRoutes: RouteObject[] = [
  {
    path: paths.settings,
    // Visitors open this page rarely, so its loader is part of the lazy chunk.
    lazy: {
      loader: async () => (await loadPages()).settingsLoader,
      Component: async () => (await loadPages()).SettingsPage,
    },
    handle,
  },
];
