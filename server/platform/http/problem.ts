import { randomInt } from 'node:crypto';
import type { FieldProblem, Problem, ProblemCode } from '#contract/problem.ts';

/** Status and title of every code: the one place that knows them. */
const problemKinds: Record<ProblemCode, readonly [status: number, title: string]> = {
  'auth/invalid-credential': [401, 'Wrong email or password'],
  'auth/too-many-requests': [429, 'Too many attempts'],
  'auth/multi-factor-required': [401, 'One more step is needed to sign in'],
  'auth/invalid-verification-code': [401, 'This is not right, or has been used'],
  'auth/sign-in-expired': [401, 'This sign-in took too long, or too many tries. Type your password again'],
  'auth/invalid-passkey': [401, 'This passkey does not open an account here'],
  'auth/second-factor-already-in-use': [409, 'This is set up already'],
  'auth/email-already-in-use': [409, 'This address cannot be used'],
  'auth/weak-password': [422, 'The password is too short'],
  'auth/password-does-not-meet-requirements': [422, 'The password does not meet the requirements'],
  'auth/expired-action-code': [410, 'The link has expired'],
  'auth/invalid-action-code': [400, 'The link is not valid, or has been used'],
  'auth/requires-recent-login': [403, 'Type your password again first'],
  'auth/network-request-failed': [503, 'The network failed'],
  'auth/user-disabled': [403, 'The account is switched off'],
  'auth/unauthenticated': [401, 'Sign in first'],
  'auth/unverified-email': [403, 'Verify your email address first'],
  'too-many-requests': [429, 'You have looked at very many people'],
  'sign-up/too-many-requests': [429, 'Too many people are signing up at the moment. Try again'],
  'terms-changed': [409, 'The terms have changed. Load this page again and read them.'],
  'profile-changed': [409, 'The profile has been changed since it was loaded. Load it again'],
  'permission-denied': [403, 'Not allowed'],
  'origin-refused': [403, 'The request came from another site'],
  'validation-failed': [422, 'Some fields need another look'],
  'malformed-request': [400, 'The request is malformed'],
  'payload-too-large': [413, 'Too large'],
  'unsupported-media-type': [415, 'Send JSON'],
  'not-an-image': [422, 'The picture cannot be read'],
  'insufficient-storage': [
    507,
    'There is no room for pictures on this server just now. Everything else works, and what you have typed is kept',
  ],
  'not-found': [404, 'Not found'],
  unavailable: [503, 'The server cannot answer just now. Try again in a moment'],
  internal: [500, 'Unexpected error'],
};

interface ProblemOptions {
  readonly detail?: string;
  readonly errors?: FieldProblem[];
  /** Seconds. */
  readonly retryAfter?: number;
  readonly reference?: string;
  readonly cause?: unknown;
  /** The name of the limit that refuses: for the log, not for whoever is refused. */
  readonly limit?: string;
}

/** Seconds until another attempt, not the same for everybody: they would all come back together. */
export const pickRetrySeconds = (): number => randomInt(3, 9);

/** An answer that is not a success, thrown from anywhere and turned into HTTP in `http.ts`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly status: number;
  readonly body: Problem;
  readonly limit: string | undefined;

  constructor(code: ProblemCode, { cause, limit, ...more }: ProblemOptions = {}) {
    const [status, title] = problemKinds[code];
    super(more.detail ?? title, { cause });
    this.code = code;
    this.status = status;
    this.limit = limit;
    this.body = { type: `urn:problem:${code}`, title, status, code, ...more };
  }
}
