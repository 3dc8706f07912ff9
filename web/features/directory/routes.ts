import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';
import { directoryLoader, toYearList } from './loader.ts';

const createRoute = createLazyRoutes('directory', () => import('./pages.ts'));

export const directoryRoutes: RouteObject[] = [
  {
    ...createRoute(paths.dashboard, { title: 'Dashboard', years: toYearList }, { Component: 'DashboardPage' }),
    loader: directoryLoader,
  },
];
