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
