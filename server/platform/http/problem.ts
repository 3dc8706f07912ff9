import { randomInt } from 'node:crypto';
import type { FieldProblem, Problem, ProblemCode } from '#contract/problem.ts';

const problemKinds: Record<ProblemCode, readonly [status: number, title: string]> = {
  'auth/invalid-credential': [401, 'Wrong email or password'],
  'auth/too-many-requests': [429, 'Too many attempts'],
  'auth/multi-factor-required': [401, 'A second sign-in step is required'],
  'auth/invalid-verification-code': [401, 'This code is wrong or has already been used'],
  'auth/sign-in-expired': [401, 'This sign-in took too long or had too many attempts. Enter your password again'],
  'auth/invalid-passkey': [401, 'This passkey does not belong to an account here'],
  'auth/second-factor-already-in-use': [409, 'This second factor is already set up'],
  'auth/email-already-in-use': [409, 'This email address cannot be used'],
  'auth/credential-already-in-use': [409, 'This university account is connected to another account'],
  'auth/provider-already-linked': [409, 'Another university account is connected. Disconnect it first'],
  'auth/weak-password': [422, 'The password is too short'],
  'auth/password-does-not-meet-requirements': [422, 'The password does not meet the requirements'],
  'auth/expired-action-code': [410, 'The link has expired'],
  'auth/invalid-action-code': [400, 'The link is not valid or has already been used'],
  'auth/requires-recent-login': [403, 'Enter your password again first'],
  'auth/network-request-failed': [503, 'The network failed'],
  'auth/user-disabled': [403, 'The account is disabled'],
  'auth/unauthenticated': [401, 'Sign in first'],
  'auth/unverified-email': [403, 'Verify your email address first'],
  'too-many-requests': [429, 'You have viewed too many people in a short time'],
  'staff/too-many-requests': [429, 'You have done this too often'],
  'sign-up/too-many-requests': [429, 'Too many people are signing up at the moment. Try again'],
  'terms-changed': [409, 'The terms have changed. Reload this page and read them'],
  'profile-changed': [409, 'The profile has changed since you loaded it. Reload it'],
  'membership/wrong-code': [422, 'This code is wrong, has expired or has already been used'],
  'roster/refused': [409, 'This is not possible for this import now'],
  'staff/refused': [409, 'This is not possible now'],
  'review/changed': [409, 'The item has changed since you opened it. Read it again'],
  'review/decided': [409, 'The item is already decided'],
  'review/leased': [409, 'Another member of staff is reviewing this item. Take it over to decide'],
  'permission-denied': [403, 'Not allowed'],
  'origin-refused': [403, 'The request came from another site'],
  'validation-failed': [422, 'Some fields are not valid'],
  'malformed-request': [400, 'The request is malformed'],
  'payload-too-large': [413, 'The request is too large'],
  'unsupported-media-type': [415, 'The request must be JSON'],
  'not-an-image': [422, 'The picture cannot be read'],
  'insufficient-storage': [
    507,
    'The server is out of disk space for pictures and other files. Everything else still works, and what you have typed is kept',
  ],
  'not-found': [404, 'Not found'],
  unavailable: [503, 'The server is overloaded or unavailable. Try again in a moment'],
  internal: [500, 'Unexpected error'],
};

interface ProblemOptions {
  readonly detail?: string;
  readonly errors?: FieldProblem[];
  /** Seconds until the client may try again. */
  readonly retryAfter?: number;
  readonly reference?: string;
  readonly cause?: unknown;
  /** Name of the exceeded limit, for the log and metrics. Not part of the response. */
  readonly limit?: string;
}

/** Returns a random number of seconds for `Retry-After`, so that refused clients do not all retry at the same time. */
export const pickRetrySeconds = (): number => randomInt(3, 9);

/** An error response with a stable code (RFC 9457). Can be thrown anywhere; `mount.ts` sends it. */
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

/** Creates a `validation-failed` error about one field. @param pointer JSON pointer into the body (RFC 6901) */
export const invalidField = (pointer: string, message: string): ProblemError =>
  new ProblemError('validation-failed', { errors: [{ pointer, message }] });
