import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/** Written once: every further `import()` is code of its own on the first page. */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const handle: PageHandle = { title: 'Settings', feature: 'settings' };

export const settingsRoutes: RouteObject[] = [
  {
    path: paths.settings,
    // Few come here, and seldom: what gets the data comes with the page.
    lazy: {
      loader: async () => (await loadPages()).settingsLoader,
      Component: async () => (await loadPages()).SettingsPage,
    },
    handle,
  },
];
