import type { RouteObject } from 'react-router';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';
import type { PageHandle } from '#web/platform/page-handle.ts';
import type { ClassData } from './class-data.ts';

const createRoute = createLazyRoutes('classes', () => import('./pages.ts'));

const handle: PageHandle = {
  title: ({ year, department }: ClassData) => `Class of ${year}, ${department}`,
  ...(import.meta.env.SSR && {
    description: ({ year, department, ...loaded }: ClassData) =>
      `The people of ${department} who graduated in ${year}${loaded.failed ? '' : `: ${loaded.found.count}`}.`,
  }),
};

export const classRoutes: RouteObject[] = [
  createRoute('/class/:department/:year', handle, { loader: 'classLoader', Component: 'ClassPage' }),
];
