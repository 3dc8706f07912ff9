import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import type { YearList } from '#web/domain/year-list.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';
import type { PageHandle } from '#web/platform/page-handle.ts';
import type { ClassData } from './class-data.ts';

const createRoute = createLazyRoutes('classes', () => import('./pages.ts'));

function toYearList({ department, year, ...loaded }: ClassData): YearList | undefined {
  if (loaded.failed) return undefined;
  const { axis } = loaded.found;
  return { axis, department, from: year, to: year, pathTo: (other) => paths.classOf(department, other) };
}

const handle: PageHandle = {
  title: ({ year, department }: ClassData) => `Class of ${year}, ${department}`,
  years: toYearList,
  ...(import.meta.env.SSR && {
    description: ({ year, department, ...loaded }: ClassData) =>
      `The people of ${department} who graduated in ${year}${loaded.failed ? '' : `: ${loaded.found.count}`}.`,
  }),
};

export const classRoutes: RouteObject[] = [
  createRoute('/class/:department/:year', handle, { loader: 'classLoader', Component: 'ClassPage' }),
];
