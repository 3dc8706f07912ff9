import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

const handle: PageHandle = { title: 'Gallery', feature: 'gallery' };

export const galleryRoutes: RouteObject[] = [
  {
    path: paths.gallery,
    lazy: {
      loader: async () => (await import('./pages.ts')).galleryLoader,
      Component: async () => (await import('./pages.ts')).GalleryPage,
    },
    handle,
  },
];
