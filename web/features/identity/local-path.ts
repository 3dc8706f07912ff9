import type { User } from '#contract/identity.ts';
import { paths } from '#web/domain/paths.ts';
import { nextStep } from '#web/domain/root-data.ts';

/**
 * Returns the path to go back to after sign-in, or null if it is not on this site (D21 in docs/conformance.md). Checks
 * the resolved URL, because `//host`, `/\host` and `/.//host` all lead to another site.
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

/**
 * Returns the path that a sign-in leads to: the next step of the registration, otherwise the page that the user came
 * from. Staff need no profile, so they reach the staff console without the onboarding.
 * @param from the URL parameter `from` of the sign-in page
 */
export function pathAfterSignIn(user: User, from: string | null): string {
  const back = parseLocalPath(from);
  const next = nextStep(user);
  if (back === paths.account) return back;
  if (next === paths.onboarding && user.isStaff && (back ?? paths.staff).startsWith(paths.staff))
    return back ?? paths.staff;
  return next ?? back ?? paths.dashboard;
}
