import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';
import { directoryLoader } from './loader.ts';

const createRoute = createLazyRoutes('directory', () => import('./pages.ts'));

export const directoryRoutes: RouteObject[] = [
  { ...createRoute(paths.dashboard, 'Dashboard', { Component: 'DashboardPage' }), loader: directoryLoader },
];
