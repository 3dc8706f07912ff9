import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('careers', () => import('./pages.ts'));

export const careerRoutes: RouteObject[] = [
  createRoute(paths.careers, 'Where are they now?', { loader: 'careersLoader', Component: 'CareersPage' }),
];
