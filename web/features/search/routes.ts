import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('search', () => import('./pages.ts'));

export const searchRoutes: RouteObject[] = [
  createRoute(paths.search, 'Search', { loader: 'searchLoader', Component: 'SearchPage' }),
];
