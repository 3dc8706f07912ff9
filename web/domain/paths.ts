/** The paths of all pages. Functions build the paths that contain an id. */
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
  classOf: (department: string, year: number) => `/class/${encodeURIComponent(department)}/${year}`,
} as const;

/** Adds a query parameter to a path. */
export function withParam(path: string, name: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ [name]: value })}`;
}

/**
 * Returns the path to go back to after sign-in, or null if it is not on this site (D21 in docs/conformance.md). Checks the resolved URL,
 * because `//host`, `/\host` and `/.//host` all lead to another site.
 */
export function parseLocalPath(candidate: string | null): string | null {
  const base = 'http://own.invalid';
  if (!candidate?.startsWith('/')) return null;
  try {
    const { origin, pathname, search, hash } = new URL(candidate, base);
    const path = pathname + search + hash;
    return origin === base && !path.startsWith('//') && !path.includes('\\') ? path : null;
  } catch {
    return null;
  }
}
