import type { RouteObject } from 'react-router';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/** The page that the report link of a message mail opens. */
export const reportRoutes: RouteObject[] = [
  {
    path: '/report',
    lazy: { Component: async () => (await loadChunk(() => import('./pages.ts'))).ReportPage },
    handle: { title: 'Report a message', feature: 'reports' } satisfies PageHandle,
  },
];
