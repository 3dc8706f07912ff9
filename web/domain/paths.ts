/** Every address of the product, and the functions that build those with parts. */
export const paths = {
  dashboard: '/',
  home: '/home',
  login: '/login',
  signUp: '/signup',
  sendVerification: '/send-verification-email',
  verifyEmail: '/verify-email-address',
  resetPassword: '/reset-password',
  newPassword: '/new-password',
  recoverEmail: '/recover-email',
  onboarding: '/onboarding',
  search: '/search',
  gallery: '/gallery',
  settings: '/settings',
  myProfile: '/myprofile',
  notification: '/notification',
  terms: '/terms-and-conditions',
  privacy: '/privacy-policy',
  user: (id: string) => `/user/${id}`,
} as const;

/** Adds a parameter to a path of ours. */
export function withParam(path: string, name: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ [name]: value })}`;
}

/**
 * Where to go back to after signing in: only a path of our own (decision 21). Judged by what an address comes to, for
 * `//host`, `/\host` and `/.//host` all lead to another site.
 */
export function parseLocalPath(candidate: string | null): string | null {
  const own = 'http://own.invalid';
  if (!candidate?.startsWith('/')) return null;
  try {
    const { origin, pathname, search, hash } = new URL(candidate, own);
    const path = pathname + search + hash;
    return origin === own && !path.startsWith('//') && !path.includes('\\') ? path : null;
  } catch {
    return null;
  }
}
