import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';
import type { PageHandle } from '#web/platform/page-handle.ts';

const createRoute = createLazyRoutes('public', () => import('./pages.ts'));

const createHandle = (title: string, more: Partial<PageHandle> = {}): PageHandle => ({
  title,
  isPublic: true,
  ...more,
});

export const publicRoutes: RouteObject[] = [
  createRoute(paths.home, createHandle('Welcome', { frame: 'bare' }), {
    loader: 'welcomeLoader',
    Component: 'HomePage',
  }),
  createRoute(paths.terms, createHandle('Terms and conditions'), { Component: 'TermsPage' }),
  createRoute(paths.privacy, createHandle('Privacy policy'), { loader: 'privacyLoader', Component: 'PrivacyPage' }),
];
