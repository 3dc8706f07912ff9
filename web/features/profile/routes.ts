import type { RouteObject } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { fullName } from '../../domain/people.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import type { PageHandle } from '../../platform/page-handle.ts';
import { type ProfileData, userLoader } from './loader.ts';

/**
 * Loads the pages of this feature. Each feature has only one `import()`, because each one adds code to the first page.
 */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const handle = { title: 'My profile', feature: 'profile' } satisfies PageHandle;

const userHandle: PageHandle = {
  ...handle,
  title: (loaded: ProfileData) => (!loaded.failed && loaded.profile ? fullName(loaded.profile.name) : 'Profile'),
  isPublic: (loaded: ProfileData) => !loaded.failed && loaded.profile?.isIndexed === true,
};

export const profileRoutes: RouteObject[] = [
  {
    path: paths.user(':id'),
    loader: userLoader,
    lazy: { Component: async () => (await loadPages()).UserPage },
    handle: userHandle,
  },
  {
    path: paths.myProfile,
    lazy: {
      loader: async () => (await loadPages()).myProfileLoader,
      Component: async () => (await loadPages()).MyProfilePage,
    },
    handle,
  },
];
