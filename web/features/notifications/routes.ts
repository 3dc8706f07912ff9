import { type RouteObject, redirect } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('notifications', () => import('./pages.ts'));

export const notificationRoutes: RouteObject[] = [
  createRoute(paths.notification, 'Notifications', { loader: 'notificationLoader', Component: 'NotificationPage' }),
  // The header link in the specification uses this path (D8 in docs/conformance.md).
  { path: '/notifications', loader: () => redirect(paths.notification) },
];
