import { type LoaderFunctionArgs, redirect } from 'react-router';
import type { User } from '#contract/identity.ts';
import type { Problem } from '#contract/problem.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { throwUnavailable } from '#web/platform/route-errors.ts';
import { paths, withParam } from './paths.ts';
import { nextStep } from './root-data.ts';

/*
 * Route guards (specification, sections 2 and 6). A guard returns the user, or throws a redirect. The server sends the
 * redirect as a 302 response; in the browser the router follows it.
 */

type GuardArgs = Pick<LoaderFunctionArgs, 'context' | 'request'>;

/**
 * Returns the signed-in user.
 * @throws the 503 page when the server is unavailable, so that no member is treated as a guest
 */
export const findUser = ({ context }: GuardArgs): Promise<User | null> =>
  context
    .get(loaderServices)
    .user()
    .catch((error: unknown) => {
      if ((error as { problem?: Problem }).problem?.status === 503) return throwUnavailable();
      throw error;
    });

/** Requires a signed-in user. @throws a redirect to /login that returns here and shows "Please login to continue" */
export async function requireUser(args: GuardArgs): Promise<User> {
  const user = await findUser(args);
  if (user) return user;
  throw redirect(loginPath(new URL(args.request.url)));
}

export const loginPath = ({ pathname, search }: Pick<URL, 'pathname' | 'search'>): string =>
  withParam(withParam(paths.login, 'from', pathname + search), 'toast', 'login-required');

/**
 * Requires an onboarded account, also if it must still be confirmed.
 * @throws a redirect to the next step of the registration
 */
export async function requireOnboarded(args: GuardArgs): Promise<User> {
  const user = await requireUser(args);
  const next = nextStep(user);
  if (next) throw redirect(next);
  return user;
}
