import type { LoaderFunctionArgs, RouteObject } from 'react-router';
import type { Card, Facets } from '#contract/directory.ts';
import { paths } from '../../domain/paths.ts';
import { access } from '../../platform/context.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/** What the welcome page tells: null while the directory cannot be reached. */
export interface Welcome {
  readonly newest: readonly Card[];
  readonly members: number;
  readonly departments: number;
  readonly years: Facets['years'];
}

const handle = (title: string, more: Partial<PageHandle> = {}): PageHandle => ({
  title,
  feature: 'public',
  isPublic: true,
  ...more,
});

async function welcomeLoader({ context }: LoaderFunctionArgs): Promise<Welcome | null> {
  const { call } = context.get(access);
  try {
    const [{ items }, { count }, facets] = await Promise.all([
      call('GET /api/users/newest'),
      call('GET /api/users/count', { query: {} }),
      call('GET /api/users/facets', { query: {} }),
    ]);
    return { newest: items, members: count, departments: facets.departments.length, years: facets.years };
  } catch {
    return null;
  }
}

/** Pages for everybody, whoever they are. */
export const publicRoutes: RouteObject[] = [
  {
    path: paths.home,
    loader: welcomeLoader,
    lazy: { Component: async () => (await import('./pages.ts')).HomePage },
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
