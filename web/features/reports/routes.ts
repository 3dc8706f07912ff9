import type { RouteObject } from 'react-router';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('reports', () => import('./pages.ts'));

export const reportRoutes: RouteObject[] = [
  createRoute('/report', 'Report a message', { Component: 'ReportPage' }),
  createRoute('/report/confirm', 'Confirm your report', { Component: 'ConfirmReportPage' }),
  createRoute('/report/:kind/:id', 'Report a problem', {
    loader: 'reportContentLoader',
    Component: 'ReportContentPage',
  }),
];
