import { type LoaderFunctionArgs, type RouteObject, data } from 'react-router';
import { isId } from '#contract/limits.ts';
import type { Profile } from '#contract/profile.ts';
import type { Audience, VisibilityChoices } from '#contract/visibility.ts';
import { requireMember } from '../../domain/guards.ts';
import { paths } from '../../domain/paths.ts';
import { fullName } from '../../domain/people.ts';
import { access } from '../../platform/context.ts';
import { problemOf } from '../../platform/api.ts';
import { missing } from '../../platform/missing.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/** A profile; the owner's comes with who sees which field, and as whom they look at it. */
export interface ProfileView {
  readonly failed: false;
  /** Null: as this audience looks at it, the person is not listed at all. */
  readonly profile: Profile | null;
  readonly own: { readonly as: Audience; readonly visibility: VisibilityChoices } | null;
}

/** What the profile pages get: a profile, or that it could not be fetched. */
export type ProfileData = ProfileView | { readonly failed: true };

const handle: PageHandle = {
  title: (loaded: ProfileData) => (!loaded.failed && loaded.profile ? fullName(loaded.profile.name) : 'Profile'),
  feature: 'profile',
};

/** Somebody's profile, as the caller may see it. @throws the page for "not here" */
async function userLoader({ context, params }: LoaderFunctionArgs) {
  const { call } = context.get(access);
  const { id = '' } = params;
  // `/api/users/count` is a call too, and no person.
  if (!isId(id)) return missing();
  return orFailure(async () => ({
    failed: false,
    profile: await call('GET /api/users/{id}', { params: { id }, query: {} }),
    own: null,
  }));
}

/** The own profile, whole or as others see it: `?as=everyone`. */
async function myProfileLoader(args: LoaderFunctionArgs) {
  const { uid } = await requireMember(args);
  const { call } = args.context.get(access);
  const asked = new URL(args.request.url).searchParams.get('as');
  const as = asked === 'everyone' || asked === 'members' ? asked : 'me';
  return orFailure(async () => {
    const [{ visibility }, profile] = await Promise.all([
      call('GET /api/users/{id}/document', { params: { id: uid } }),
      call('GET /api/users/{id}', { params: { id: uid }, query: { as } }).catch((error: unknown) => {
        if (problemOf(error).code === 'not-found') return null;
        throw error;
      }),
    ]);
    return { failed: false, profile, own: { as, visibility } };
  });
}

async function orFailure(load: () => Promise<ProfileView>) {
  try {
    return await load();
  } catch (error) {
    const { status } = problemOf(error);
    if (status === 404 || status === 400) return missing();
    return data<ProfileData>({ failed: true }, { status: 503 });
  }
}

export const profileRoutes: RouteObject[] = [
  {
    path: paths.user(':id'),
    loader: userLoader,
    lazy: { Component: async () => (await import('./pages.ts')).UserPage },
    handle,
  },
  {
    path: paths.myProfile,
    loader: myProfileLoader,
    lazy: { Component: async () => (await import('./pages.ts')).MyProfilePage },
    handle,
  },
];
