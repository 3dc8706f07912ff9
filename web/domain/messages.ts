import type { Problem, ProblemCode } from '#contract/problem.ts';

/** What to say for a code; what is not here is said by the problem's own title. Never by a text of the server's. */
const sentences: Partial<Record<ProblemCode, string>> = {
  'auth/invalid-credential': 'Wrong email or password',
  'auth/too-many-requests': 'Too many attempts. Wait a little and try again',
  'auth/multi-factor-required': 'One more step is needed to sign in',
  'auth/invalid-verification-code': 'This is not right, or has been used',
  'auth/sign-in-expired': 'This sign-in took too long, or too many tries. Type your password again',
  'auth/invalid-passkey': 'This passkey does not open an account here',
  'auth/second-factor-already-in-use': 'This is set up already',
  'auth/email-already-in-use': 'This email address cannot be used',
  'auth/weak-password': 'Password cannot be less than six characters',
  'auth/password-does-not-meet-requirements': 'The password does not meet the requirements',
  'auth/expired-action-code': 'The link has expired. Ask for a new one',
  'auth/invalid-action-code': 'The link is not valid, or has been used. Ask for a new one',
  'auth/requires-recent-login': 'Type your current password again',
  'auth/network-request-failed': 'The network failed. Check your connection and try again',
  'auth/user-disabled': 'This account is switched off. Ask the alumni office',
  'auth/unauthenticated': 'Please login to continue',
  'auth/unverified-email': 'Verify your email address first',
  'origin-refused': 'The server answers for another address than this one. Open it by its own address',
};

/** A sentence and the code, e.g. "Wrong email or password (auth/invalid-credential)" (decision 19). */
export function messageOf({ code, title, retryAfter }: Problem): string {
  const wait = code.endsWith('too-many-requests') && retryAfter ? ` in ${inWords(retryAfter)}` : '';
  return `${sentences[code] ?? title}${wait} (${code})`;
}

const inWords = (seconds: number) => (seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`);
