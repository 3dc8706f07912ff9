import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { createLazyRoutes } from '../../platform/lazy-routes.ts';

const createRoute = createLazyRoutes('search', () => import('./pages.ts'));

export const searchRoutes: RouteObject[] = [
  createRoute(paths.search, 'Search', { loader: 'searchLoader', Component: 'SearchPage' }),
];
