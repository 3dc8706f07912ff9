import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { createLazyRoutes } from '../../platform/lazy-routes.ts';

const createRoute = createLazyRoutes('settings', () => import('./pages.ts'));

export const settingsRoutes: RouteObject[] = [
  createRoute(paths.settings, 'Settings', { loader: 'settingsLoader', Component: 'SettingsPage' }),
];
