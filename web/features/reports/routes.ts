import type { RouteObject } from 'react-router';
import { createLazyRoutes } from '../../platform/lazy-routes.ts';

const createRoute = createLazyRoutes('reports', () => import('./pages.ts'));

/** The page that opens from the report link in the email of a message. */
export const reportRoutes: RouteObject[] = [createRoute('/report', 'Report a message', { Component: 'ReportPage' })];
