import type { Problem, ProblemCode } from '#contract/problem.ts';

const messageByCode: Partial<Record<ProblemCode, string>> = {
  'auth/invalid-credential': 'Wrong email or password',
  'auth/too-many-requests': 'Too many attempts',
  'too-many-requests': 'You have viewed too many people in a short time',
  'sign-up/too-many-requests': 'Too many people are signing up right now',
  'auth/multi-factor-required': 'One more step is needed to sign in',
  'auth/invalid-verification-code': 'This code is wrong or has already been used',
  'auth/sign-in-expired': 'This sign-in took too long or had too many attempts. Enter your password again',
  'auth/invalid-passkey': 'This passkey does not belong to an account here',
  'auth/second-factor-already-in-use': 'This is already set up',
  'auth/email-already-in-use': 'This email address cannot be used',
  'auth/weak-password': 'Password cannot be less than six characters',
  'auth/password-does-not-meet-requirements': 'The password does not meet the requirements',
  'auth/expired-action-code': 'The link has expired. Request a new one',
  'auth/invalid-action-code': 'The link is not valid or has already been used. Request a new one',
  'auth/requires-recent-login': 'Enter your current password again',
  'auth/network-request-failed': 'We could not reach the server. Check your connection and try again',
  'auth/user-disabled': 'This account is disabled. Contact the alumni office',
  'auth/unauthenticated': 'Please login to continue',
  'auth/unverified-email': 'Verify your email address first',
  'origin-refused': 'This site does not work at this address. Open it at its official address',
};

/**
 * Returns a sentence and the code, such as "Wrong email or password (auth/invalid-credential)" (D19 in
 * docs/conformance.md).
 */
export function messageOf({ code, title, detail, retryAfter }: Problem): string {
  if (detail !== undefined && code.endsWith('/refused')) return detail;
  const isLimit = code.endsWith('too-many-requests');
  const wait = isLimit ? `. Try again ${retryAfter ? `in ${formatWait(retryAfter)}` : 'later'}` : '';
  return `${messageByCode[code] ?? title}${wait} (${code})`;
}

const formatWait = (seconds: number) =>
  seconds < 90
    ? `${seconds} seconds`
    : seconds < 7200
      ? `${Math.ceil(seconds / 60)} minutes`
      : seconds < 172_800
        ? `${Math.ceil(seconds / 3600)} hours`
        : `${Math.ceil(seconds / 86_400)} days`;
