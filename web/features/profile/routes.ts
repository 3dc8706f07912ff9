import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { fullName } from '#web/domain/people.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';
import type { PageHandle } from '#web/platform/page-handle.ts';
import { type ProfileData, userLoader } from './loader.ts';

const createRoute = createLazyRoutes('profile', () => import('./pages.ts'));

const userHandle: PageHandle = {
  title: (loaded: ProfileData) => (!loaded.failed && loaded.profile ? fullName(loaded.profile.name) : 'Profile'),
  isPublic: (loaded: ProfileData) => !loaded.failed && loaded.profile?.isIndexed === true,
};

export const profileRoutes: RouteObject[] = [
  { ...createRoute(paths.user(':id'), userHandle, { Component: 'UserPage' }), loader: userLoader },
  createRoute(paths.myProfile, 'My profile', { loader: 'myProfileLoader', Component: 'MyProfilePage' }),
];
