import { type LoaderFunctionArgs, redirect } from 'react-router';
import type { User } from '#contract/identity.ts';
import type { Problem } from '#contract/problem.ts';
import { loaderServices } from '../platform/loader-services.ts';
import { throwUnavailable } from '../platform/route-errors.ts';
import { parseLocalPath, paths, withParam } from './paths.ts';

/*
 * The guards of the specification's sections 2 and 6. A guard throws a redirect, which the server answers as a real 302
 * and the browser follows by itself, and returns what it has proved.
 */

type Args = Pick<LoaderFunctionArgs, 'context' | 'request'>;

/** Nobody is sent away because it cannot be found out who they are. @throws the page for "not now" in an outage */
const findUser = ({ context }: Args): Promise<User | null> =>
  context
    .get(loaderServices)
    .user()
    .catch((error: unknown) => {
      if ((error as { problem?: Problem }).problem?.status === 503) return throwUnavailable();
      throw error;
    });

/** Signed in. @throws redirect to /login, with the way back and the toast "Please login to continue" */
export async function requireUser(args: Args): Promise<User> {
  const user = await findUser(args);
  if (user) return user;
  throw redirect(loginPath(new URL(args.request.url)));
}

/** The sign-in page with the way back and the toast "Please login to continue". */
export const loginPath = ({ pathname, search }: Pick<URL, 'pathname' | 'search'>): string =>
  withParam(withParam(paths.login, 'from', pathname + search), 'toast', 'login-required');

/** Signed in, verified and onboarded: what protected pages need. @throws redirect to where the next step is */
export async function requireMember(args: Args): Promise<User> {
  const user = await requireUser(args);
  const next = nextStep(user);
  if (next) throw redirect(next);
  return user;
}

/** Signed in and verified, but without a display name yet. @throws redirect */
export async function requireNotOnboarded(args: Args): Promise<User> {
  const user = await requireUser(args);
  if (!user.emailVerified) throw redirect(paths.sendVerification);
  if (user.displayName !== null) throw redirect(paths.dashboard);
  return user;
}

/** Signed in, but not verified yet. @throws redirect */
export async function requireUnverified(args: Args): Promise<User> {
  const user = await requireUser(args);
  if (user.emailVerified) throw redirect(paths.dashboard);
  return user;
}

/** Signed out: who is signed in is kept away from login, sign-up and reset (section 6). @throws redirect back */
export async function requireGuest(args: Args): Promise<null> {
  const user = await findUser(args);
  if (user)
    throw redirect(
      parseLocalPath(new URL(args.request.url).searchParams.get('from')) ?? nextStep(user) ?? paths.dashboard,
    );
  return null;
}

/** Where somebody has to go before they are a member, or null. */
export function nextStep(user: User): string | null {
  if (!user.emailVerified) return paths.sendVerification;
  return user.displayName === null ? paths.onboarding : null;
}
