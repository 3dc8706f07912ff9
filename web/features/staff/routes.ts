import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('staff', () => import('./pages.ts'));
const createRosterRoute = createLazyRoutes('staff/roster-pages', () => import('./roster-pages/pages.ts'));
const createOtherRoute = createLazyRoutes('staff/other-pages', () => import('./other-pages/pages.ts'));

const handle = { title: (data: unknown) => (data as { title: string }).title, frame: 'bare' } as const;

/**
 * The queue is open for hours on slow connections, so the pages of the roster and the other pages are chunks of their
 * own. Each chunk chooses the page, so that members load no list of them (`staff-pages.ts`).
 */
export const staffRoutes: RouteObject[] = [
  createRoute(paths.staff, handle, { loader: 'staffLoader', Component: 'StaffPage' }),
  createRoute(`${paths.staff}/review/:id?`, handle, {
    loader: 'staffLoader',
    Component: 'StaffPage',
    shouldRevalidate: 'shouldReviewLoad',
  }),
  ...['roster', 'codes', 'coverage', 'tracer'].map((page) =>
    createRosterRoute(`${paths.staff}/${page}/:id?`, handle, { loader: 'staffLoader', Component: 'StaffPage' }),
  ),
  createOtherRoute(`${paths.staff}/:page/:id?`, handle, { loader: 'staffLoader', Component: 'StaffPage' }),
];
