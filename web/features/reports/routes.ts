import type { RouteObject } from 'react-router';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('reports', () => import('./pages.ts'));

/** The pages to report a message, with the link in its email, and to report a profile or a photo. */
export const reportRoutes: RouteObject[] = [
  createRoute('/report', 'Report a message', { Component: 'ReportPage' }),
  createRoute('/report/confirm', 'Confirm your report', { Component: 'ConfirmReportPage' }),
  createRoute('/report/:kind/:id', 'Report a problem', {
    loader: 'reportContentLoader',
    Component: 'ReportContentPage',
  }),
];
