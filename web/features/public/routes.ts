import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/** Written once: every further `import()` is code of its own on the first page. */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const createHandle = (title: string, more: Partial<PageHandle> = {}): PageHandle => ({
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
      loader: async () => (await loadPages()).welcomeLoader,
      Component: async () => (await loadPages()).HomePage,
    },
    handle: createHandle('Welcome', { frame: 'bare' }),
  },
  {
    path: paths.terms,
    lazy: { Component: async () => (await loadPages()).TermsPage },
    handle: createHandle('Terms and conditions'),
  },
  {
    path: paths.privacy,
    lazy: {
      loader: async () => (await loadPages()).privacyLoader,
      Component: async () => (await loadPages()).PrivacyPage,
    },
    handle: createHandle('Privacy policy'),
  },
];
