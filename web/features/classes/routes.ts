import type { RouteObject } from 'react-router';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';
import type { ClassData } from './class-data.ts';

/**
 * Loads the pages of this feature. Each feature has only one `import()`, because each one adds code to the first page.
 */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const handle: PageHandle = {
  title: ({ year, department }: ClassData) => `Class of ${year}, ${department}`,
  ...(import.meta.env.SSR && {
    description: ({ year, department, ...loaded }: ClassData) =>
      `The people of ${department} who graduated in ${year}${loaded.failed ? '' : `: ${loaded.found.count}`}.`,
  }),
  feature: 'classes',
};

export const classRoutes: RouteObject[] = [
  {
    path: '/class/:department/:year',
    lazy: {
      loader: async () => (await loadPages()).classLoader,
      Component: async () => (await loadPages()).ClassPage,
    },
    handle,
  },
];
