import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('settings', () => import('./pages.ts'));

export const settingsRoutes: RouteObject[] = [
  createRoute(paths.settings, 'Settings', { loader: 'settingsLoader', Component: 'SettingsPage' }),
  createRoute(paths.account, 'Your account', { loader: 'accountLoader', Component: 'AccountPage' }),
];
