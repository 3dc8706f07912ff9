import { type LoaderFunctionArgs, data } from 'react-router';
import { isId } from '#contract/ids.ts';
import type { Profile } from '#contract/profile.ts';
import type { Audience, VisibilityChoices } from '#contract/visibility.ts';
import { access } from '../../platform/context.ts';
import { problemOf } from '../../platform/api.ts';
import { missing } from '../../platform/missing.ts';

/** A profile; the owner's comes with who sees which field, and as whom they look at it. */
export interface ProfileView {
  readonly failed: false;
  /** Null: as this audience looks at it, the person is not listed at all. */
  readonly profile: Profile | null;
  readonly own: { readonly as: Audience; readonly visibility: VisibilityChoices } | null;
}

/** What the profile pages get: a profile, or that it could not be fetched. */
export type ProfileData = ProfileView | { readonly failed: true; readonly reason?: string | undefined };

/** Somebody's profile, as the caller may see it. @throws the page for "not here" */
export async function userLoader({ context, params }: LoaderFunctionArgs) {
  const { call } = context.get(access);
  const { id = '' } = params;
  // `/api/users/count` is a call too, and no person.
  if (!isId(id)) return missing();
  return loadOrFail(async () => ({
    failed: false,
    profile: await call('GET /api/users/{id}', { params: { id }, query: {} }),
    own: null,
  }));
}

/** @throws the page for "not here" */
export async function loadOrFail(load: () => Promise<ProfileView>) {
  try {
    return await load();
  } catch (error) {
    const { status, detail: reason } = problemOf(error);
    if (status === 404 || status === 400) return missing();
    return data<ProfileData>({ failed: true, reason }, { status: status === 429 ? 429 : 503 });
  }
}
