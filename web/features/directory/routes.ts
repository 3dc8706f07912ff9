import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import type { PageHandle } from '../../platform/page-handle.ts';
import { directoryLoader } from './loader.ts';

const handle: PageHandle = { title: 'Dashboard', feature: 'directory' };

export const directoryRoutes: RouteObject[] = [
  {
    path: paths.dashboard,
    loader: directoryLoader,
    lazy: { Component: async () => (await import('./pages.ts')).DashboardPage },
    handle,
  },
];
