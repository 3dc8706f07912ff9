import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/** Written once: every further `import()` is code of its own on the first page. */
const pages = () => loadChunk(() => import('./pages.ts'));

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
      loader: async () => (await pages()).welcomeLoader,
      Component: async () => (await pages()).HomePage,
    },
    handle: handle('Welcome', { frame: 'bare' }),
  },
  {
    path: paths.terms,
    lazy: { Component: async () => (await pages()).TermsPage },
    handle: handle('Terms and conditions'),
  },
  {
    path: paths.privacy,
    lazy: {
      loader: async () => (await pages()).privacyLoader,
      Component: async () => (await pages()).PrivacyPage,
    },
    handle: handle('Privacy policy'),
  },
];
