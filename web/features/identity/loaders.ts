import { type LoaderFunctionArgs, redirect } from 'react-router';
import type { CampusArrival } from '#contract/campus.ts';
import { findUser, requireUser } from '#web/domain/guards.ts';
import { nextStep } from '#web/domain/root-data.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { problemOf } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { throwNotFound, throwUnavailable } from '#web/platform/route-errors.ts';
import type { SecondFactorMethods } from './forms.ts';
import { parseLocalPath } from './local-path.ts';

/** Requires a signed-out visitor, for login, sign-up and reset (section 6). @throws a redirect for signed-in users */
export async function requireGuest(args: LoaderFunctionArgs): Promise<null> {
  const user = await findUser(args);
  if (user)
    throw redirect(
      parseLocalPath(new URL(args.request.url).searchParams.get('from')) ?? nextStep(user) ?? paths.dashboard,
    );
  return null;
}

/** Returns the second factors if the university has confirmed the account, which leads to this page. */
export async function loginLoader(args: LoaderFunctionArgs): Promise<SecondFactorMethods | null> {
  await requireGuest(args);
  const { call, institution } = args.context.get(loaderServices);
  // Only on the server: the scripts cannot read this cookie, and a browser comes from the university with a page load.
  if (!institution.hasCampusSignOn || !args.request.headers.get('cookie')?.includes('pending=')) return null;
  const methods = await call('GET /api/identity/sign-in/second-factor').catch(() => null);
  return methods?.isByCampus ? methods : null;
}

export type CampusData = Omit<CampusArrival, 'next'> & { readonly next: CampusArrival['next'] | 'expired' };

/** @throws the 404 page without campus sign-on */
export const campusLoader = ({ context }: LoaderFunctionArgs): Promise<CampusData> =>
  context
    .get(loaderServices)
    .call('GET /api/identity/campus/arrival')
    .catch((error: unknown) => {
      const { code } = problemOf(error);
      if (code === 'auth/sign-in-expired')
        return { next: 'expired', email: null, name: '', affiliation: null, detail: '', from: null };
      return code === 'not-found' ? throwNotFound() : throwUnavailable();
    });

/** The page for each mode of a mailed link (specification, section 2; D3 in docs/conformance.md). */
const pathByMode = new Map<string | null, string>([
  ['verifyEmail', paths.verifyEmail],
  ['verifyAndChangeEmail', paths.verifyEmail],
  ['resetPassword', paths.newPassword],
  ['recoverEmail', paths.recoverEmail],
  ['refuseEmailChange', paths.recoverEmail],
]);

/** Opening a mailed link changes nothing, because mail scanners open links too. */
export function redirectByMode({ request }: LoaderFunctionArgs): never {
  const { searchParams } = new URL(request.url);
  const target = pathByMode.get(searchParams.get('mode'));
  throw redirect(target ? withParam(target, 'actionCode', searchParams.get('oobCode') ?? '') : paths.login);
}

/**
 * Loads the resend countdown from the server, so that a reload does not restart it.
 * @throws a redirect unless the user's address is unverified
 */
export async function verificationLoader(args: LoaderFunctionArgs) {
  const user = await requireUser(args);
  if (user.emailVerified) throw redirect(paths.dashboard);
  return args.context.get(loaderServices).call('GET /api/identity/verification').catch(throwUnavailable);
}
