import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('handbook', () => import('./pages.ts'));

/** Not in the chunk of the staff console, which is large. */
export const handbookRoutes: RouteObject[] = [
  createRoute(`${paths.staff}/handbook`, 'Handbook', { loader: 'handbookLoader', Component: 'HandbookPage' }),
];
