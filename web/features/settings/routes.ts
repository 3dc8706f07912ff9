import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

const handle: PageHandle = { title: 'Settings', feature: 'settings' };

export const settingsRoutes: RouteObject[] = [
  {
    path: paths.settings,
    // Few come here, and seldom: what gets the data comes with the page.
    lazy: {
      loader: async () => (await import('./pages.ts')).settingsLoader,
      Component: async () => (await import('./pages.ts')).SettingsPage,
    },
    handle,
  },
];
