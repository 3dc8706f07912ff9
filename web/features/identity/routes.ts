import { type LoaderFunctionArgs, type RouteObject, redirect } from 'react-router';
import { requireGuest, requireUnverified } from '../../domain/guards.ts';
import { paths, withParam } from '../../domain/paths.ts';
import { loaderServices } from '../../platform/loader-services.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import { throwUnavailable } from '../../platform/route-errors.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/**
 * Loads the pages of this feature. Each feature has only one `import()`, because each one adds code to the first page.
 */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const createHandle = (title: string, more: Partial<PageHandle> = {}): PageHandle => ({
  title,
  feature: 'identity',
  frame: 'bare',
  ...more,
});

/** The page for each mode of a mailed link (specification, section 2; D3 in docs/conformance.md). */
const pathByMode = new Map<string | null, string>([
  ['verifyEmail', paths.verifyEmail],
  ['verifyAndChangeEmail', paths.verifyEmail],
  ['resetPassword', paths.newPassword],
  ['recoverEmail', paths.recoverEmail],
]);

/** Redirects a mailed link to the page for its mode. Opening a link changes nothing, because mail scanners open links too. */
function redirectByMode({ request }: LoaderFunctionArgs): never {
  const { searchParams } = new URL(request.url);
  const target = pathByMode.get(searchParams.get('mode'));
  throw redirect(target ? withParam(target, 'actionCode', searchParams.get('oobCode') ?? '') : paths.login);
}

/** Loads the resend countdown from the server, so that a reload does not restart it. */
async function verificationLoader(args: LoaderFunctionArgs) {
  await requireUnverified(args);
  return args.context.get(loaderServices).call('GET /api/identity/verification').catch(throwUnavailable);
}

export const identityRoutes: RouteObject[] = [
  {
    path: paths.login,
    loader: requireGuest,
    lazy: { Component: async () => (await loadPages()).LoginPage },
    handle: createHandle('Sign in', { isPublic: true }),
  },
  {
    path: paths.signUp,
    loader: requireGuest,
    lazy: { Component: async () => (await loadPages()).SignUpPage },
    handle: createHandle('Sign up', { isPublic: true }),
  },
  {
    path: paths.sendVerification,
    loader: verificationLoader,
    lazy: { Component: async () => (await loadPages()).SendVerificationPage },
    handle: createHandle('Verify your email'),
  },
  {
    path: paths.verifyEmail,
    lazy: { Component: async () => (await loadPages()).VerifyEmailPage },
    handle: createHandle('Email verification'),
  },
  {
    path: paths.resetPassword,
    loader: requireGuest,
    lazy: { Component: async () => (await loadPages()).ResetPasswordPage },
    handle: createHandle('Reset password', { isPublic: true }),
  },
  {
    path: paths.newPassword,
    lazy: { Component: async () => (await loadPages()).NewPasswordPage },
    handle: createHandle('New password'),
  },
  {
    path: paths.recoverEmail,
    lazy: { Component: async () => (await loadPages()).RecoverEmailPage },
    handle: createHandle('Recover your email address'),
  },
  { path: '/auth/verify', loader: redirectByMode },
  { path: '/auth/action', loader: redirectByMode },
];
