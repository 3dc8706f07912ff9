import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

const handle = (title: string, more: Partial<PageHandle> = {}): PageHandle => ({
  title,
  feature: 'public',
  isPublic: true,
  ...more,
});

/** Pages for everybody, whoever they are. */
export const publicRoutes: RouteObject[] = [
  {
    path: paths.home,
    // Who has come in seldom comes back here: what gets the data comes with the page.
    lazy: {
      loader: async () => (await import('./pages.ts')).welcomeLoader,
      Component: async () => (await import('./pages.ts')).HomePage,
    },
    handle: handle('Welcome', { frame: 'bare' }),
  },
  {
    path: paths.terms,
    lazy: { Component: async () => (await import('./pages.ts')).TermsPage },
    handle: handle('Terms and conditions'),
  },
  {
    path: paths.privacy,
    lazy: { Component: async () => (await import('./pages.ts')).PrivacyPage },
    handle: handle('Privacy policy'),
  },
];
