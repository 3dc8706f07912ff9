import type { RouteObject } from 'react-router';
import { classRoutes } from '../features/classes/routes.ts';
import { directoryRoutes } from '../features/directory/routes.ts';
import { identityRoutes } from '../features/identity/routes.ts';
import { galleryRoutes } from '../features/gallery/routes.ts';
import { membershipRoutes } from '../features/membership/routes.ts';
import { notificationRoutes } from '../features/notifications/routes.ts';
import { onboardingRoutes } from '../features/onboarding/routes.ts';
import { profileRoutes } from '../features/profile/routes.ts';
import { publicRoutes } from '../features/public/routes.ts';
import { reportRoutes } from '../features/reports/routes.ts';
import { searchRoutes } from '../features/search/routes.ts';
import { settingsRoutes } from '../features/settings/routes.ts';
import { staffRoutes } from '../features/staff/routes.ts';
import { rootId } from '../domain/root-data.ts';
import { RouteError } from './route-error.tsx';
import { Root } from './root.tsx';
import { RootError } from './root-error.tsx';
import { rootLoader } from './root-loader.ts';
import { throwNotFound } from '../platform/route-errors.ts';
import { notFound, type PageHandle } from '../platform/page-handle.ts';

/** All pages, one line for each feature. */
export const routes: RouteObject[] = [
  {
    id: rootId,
    loader: rootLoader,
    // In the browser the loader reads the cached user, so it can run on every navigation.
    shouldRevalidate: () => true,
    Component: Root,
    ErrorBoundary: RootError,
    children: [
      {
        ErrorBoundary: RouteError,
        children: [
          ...directoryRoutes,
          ...classRoutes,
          ...identityRoutes,
          ...onboardingRoutes,
          ...profileRoutes,
          ...publicRoutes,
          ...searchRoutes,
          ...galleryRoutes,
          ...notificationRoutes,
          ...membershipRoutes,
          ...settingsRoutes,
          ...reportRoutes,
          ...staffRoutes,
          { path: '*', loader: throwNotFound, handle: { title: notFound } satisfies PageHandle },
        ],
      },
    ],
  },
];
