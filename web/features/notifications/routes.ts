import { type RouteObject, redirect } from 'react-router';
import { paths } from '../../domain/paths.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

const handle: PageHandle = { title: 'Notifications', feature: 'notifications' };

export const notificationRoutes: RouteObject[] = [
  {
    path: paths.notification,
    lazy: {
      loader: async () => (await import('./pages.ts')).notificationLoader,
      Component: async () => (await import('./pages.ts')).NotificationPage,
    },
    handle,
  },
  // The header of the specification points here (decision 8).
  { path: '/notifications', loader: () => redirect(paths.notification) },
];
