import { type LoaderFunctionArgs, data } from 'react-router';
import { isId } from '#contract/ids.ts';
import type { OwnCareer } from '#contract/careers.ts';
import type { Profile } from '#contract/profile.ts';
import type { Audience, VisibilityChoices } from '#contract/visibility.ts';
import type { Completeness } from './completeness.tsx';
import { loaderServices } from '#web/platform/loader-services.ts';
import { problemOf } from '#web/platform/api.ts';
import { throwNotFound } from '#web/platform/route-errors.ts';

export interface ProfileView {
  readonly failed: false;
  /** Null when the chosen audience cannot see the person. */
  readonly profile: Profile | null;
  /**
   * Set if the profile belongs to the signed-in user: the audience it is viewed as, the audience of each field, and
   * what is missing.
   */
  readonly own: {
    readonly as: Audience;
    readonly visibility: VisibilityChoices;
    readonly audience: Audience;
    readonly completeness: Completeness;
    /** Pending until the alumni office decides. Null if there are none. */
    readonly waiting: readonly string[] | null;
    readonly career: OwnCareer;
  } | null;
}

export type ProfileData = ProfileView | { readonly failed: true; readonly reason?: string | undefined };

/** @throws a 404 response when the profile does not exist or is not visible */
export async function userLoader({ context, params }: LoaderFunctionArgs) {
  const { call } = context.get(loaderServices);
  const { id = '' } = params;
  // Without this check, `/user/count` would call the endpoint `/api/users/count`.
  if (!isId(id)) return throwNotFound();
  return loadOrFail(async () => ({
    failed: false,
    profile: await call('GET /api/users/{id}', { params: { id }, query: {} }),
    own: null,
  }));
}

/**
 * Turns API errors into loader data.
 * @throws a 404 response for a missing profile
 */
export async function loadOrFail(load: () => Promise<ProfileView>) {
  try {
    return await load();
  } catch (error) {
    const { status, detail: reason } = problemOf(error);
    if (status === 404 || status === 400) return throwNotFound();
    return data<ProfileData>({ failed: true, reason }, { status: status === 429 ? 429 : 503 });
  }
}
