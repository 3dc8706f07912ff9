import type { RouteObject } from 'react-router';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/** The page that opens from the report link in the email of a message. */
export const reportRoutes: RouteObject[] = [
  {
    path: '/report',
    lazy: { Component: async () => (await loadChunk(() => import('./pages.ts'))).ReportPage },
    handle: { title: 'Report a message', feature: 'reports' } satisfies PageHandle,
  },
];
