import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('gallery', () => import('./pages.ts'));

export const galleryRoutes: RouteObject[] = [
  createRoute(paths.gallery, 'Gallery', {
    loader: 'galleryLoader',
    shouldRevalidate: 'shouldRevalidate',
    Component: 'GalleryPage',
  }),
];
