import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/**
 * Loads the pages of this feature. Each feature has only one `import()`, because each one adds code to the first page.
 */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const createHandle = (title: string, more: Partial<PageHandle> = {}): PageHandle => ({
  title,
  feature: 'public',
  isPublic: true,
  ...more,
});

/** Pages that do not depend on who is signed in. */
export const publicRoutes: RouteObject[] = [
  {
    path: paths.home,
    // Members rarely return to this page, so its loader is part of the lazy chunk.
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
