import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('staff', () => import('./pages.ts'));

/**
 * One route for all pages of the staff console: the lazy chunk chooses the page (`staff-pages.ts`), so that members
 * load no list of them.
 */
export const staffRoutes: RouteObject[] = [
  createRoute(
    `${paths.staff}/:page?/:id?`,
    { title: (data) => (data as { title: string }).title, frame: 'bare' },
    { loader: 'staffLoader', Component: 'StaffPage', shouldRevalidate: 'shouldStaffPageLoad' },
  ),
];
