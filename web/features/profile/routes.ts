import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { fullName } from '../../domain/people.ts';
import type { PageHandle } from '../../platform/page-handle.ts';
import { type ProfileData, userLoader } from './loader.ts';

const handle = { title: 'My profile', feature: 'profile' } satisfies PageHandle;

const handleOfUser: PageHandle = {
  ...handle,
  title: (loaded: ProfileData) => (!loaded.failed && loaded.profile ? fullName(loaded.profile.name) : 'Profile'),
};

export const profileRoutes: RouteObject[] = [
  {
    path: paths.user(':id'),
    loader: userLoader,
    lazy: { Component: async () => (await import('./pages.ts')).UserPage },
    handle: handleOfUser,
  },
  {
    path: paths.myProfile,
    lazy: {
      loader: async () => (await import('./pages.ts')).myProfileLoader,
      Component: async () => (await import('./pages.ts')).MyProfilePage,
    },
    handle,
  },
];
