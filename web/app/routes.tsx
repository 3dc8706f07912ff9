import type { RouteObject } from 'react-router';
import { careerRoutes } from '#web/features/careers/routes.ts';
import { classRoutes } from '#web/features/classes/routes.ts';
import { directoryRoutes } from '#web/features/directory/routes.ts';
import { identityRoutes } from '#web/features/identity/routes.ts';
import { handbookRoutes } from '#web/features/handbook/routes.ts';
import { galleryRoutes } from '#web/features/gallery/routes.ts';
import { membershipRoutes } from '#web/features/membership/routes.ts';
import { messageRoutes } from '#web/features/messages/routes.ts';
import { notificationRoutes } from '#web/features/notifications/routes.ts';
import { onboardingRoutes } from '#web/features/onboarding/routes.ts';
import { profileRoutes } from '#web/features/profile/routes.ts';
import { publicRoutes } from '#web/features/public/routes.ts';
import { reportRoutes } from '#web/features/reports/routes.ts';
import { searchRoutes } from '#web/features/search/routes.ts';
import { settingsRoutes } from '#web/features/settings/routes.ts';
import { staffRoutes } from '#web/features/staff/routes.ts';
import { rootId } from '#web/domain/root-data.ts';
import { RouteError } from './route-error.tsx';
import { Root } from './root.tsx';
import { RootError } from './root-error.tsx';
import { rootLoader } from './root-loader.ts';
import { throwNotFound } from '#web/platform/route-errors.ts';
import { notFound, type PageHandle } from '#web/platform/page-handle.ts';

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
          ...careerRoutes,
          ...identityRoutes,
          ...onboardingRoutes,
          ...profileRoutes,
          ...publicRoutes,
          ...searchRoutes,
          ...galleryRoutes,
          ...notificationRoutes,
          ...messageRoutes,
          ...membershipRoutes,
          ...settingsRoutes,
          ...reportRoutes,
          ...handbookRoutes,
          ...staffRoutes,
          { path: '*', loader: throwNotFound, handle: { title: notFound } satisfies PageHandle },
        ],
      },
    ],
  },
];
