import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { fullName } from '../../domain/people.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';
import { type ProfileData, userLoader } from './loader.ts';

/** Written once: every further `import()` is code of its own on the first page. */
const pages = () => loadChunk(() => import('./pages.ts'));

const handle = { title: 'My profile', feature: 'profile' } satisfies PageHandle;

const handleOfUser: PageHandle = {
  ...handle,
  title: (loaded: ProfileData) => (!loaded.failed && loaded.profile ? fullName(loaded.profile.name) : 'Profile'),
  isPublic: (loaded: ProfileData) => !loaded.failed && loaded.profile?.isIndexed === true,
};

export const profileRoutes: RouteObject[] = [
  {
    path: paths.user(':id'),
    loader: userLoader,
    lazy: { Component: async () => (await pages()).UserPage },
    handle: handleOfUser,
  },
  {
    path: paths.myProfile,
    lazy: {
      loader: async () => (await pages()).myProfileLoader,
      Component: async () => (await pages()).MyProfilePage,
    },
    handle,
  },
];
