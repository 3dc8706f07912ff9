import * as z from 'zod/mini';

/**
 * Every error code that can stand in an answer. The `auth/…` family is the one that identity clients of the web already
 * know (reading of the specification, decision 19); the browser maps codes to sentences and never decides by a text.
 */
const problemCodes = [
  'auth/invalid-credential',
  'auth/too-many-requests',
  'auth/multi-factor-required',
  'auth/invalid-verification-code',
  'auth/sign-in-expired',
  'auth/invalid-passkey',
  'auth/second-factor-already-in-use',
  'auth/email-already-in-use',
  'auth/weak-password',
  'auth/password-does-not-meet-requirements',
  'auth/expired-action-code',
  'auth/invalid-action-code',
  'auth/requires-recent-login',
  'auth/network-request-failed',
  'auth/user-disabled',
  'auth/unauthenticated',
  'auth/unverified-email',
  'too-many-requests',
  'sign-up/too-many-requests',
  'terms-changed',
  'profile-changed',
  'permission-denied',
  'origin-refused',
  'validation-failed',
  'malformed-request',
  'payload-too-large',
  'unsupported-media-type',
  'not-an-image',
  'insufficient-storage',
  'not-found',
  'unavailable',
  'internal',
] as const;

/** What any call can fail with, whatever it is about; everything else stands with the call. */
export const commonProblems = [
  'auth/too-many-requests',
  'origin-refused',
  'validation-failed',
  'malformed-request',
  'payload-too-large',
  'unsupported-media-type',
  'unavailable',
  'internal',
] as const satisfies readonly ProblemCode[];

export const ProblemCode = z.enum(problemCodes);
export type ProblemCode = (typeof problemCodes)[number];

/** One wrong field: `pointer` is a JSON pointer into the body (RFC 6901), e.g. `/academic/year/admitted`. */
export const FieldProblem = z.object({ pointer: z.string(), message: z.string() });
export type FieldProblem = z.infer<typeof FieldProblem>;

/** The body of every error answer: RFC 9457 `application/problem+json` with our stable `code`. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: ProblemCode,
  detail: z.optional(z.string()),
  errors: z.optional(z.array(FieldProblem)),
  /** Seconds until another attempt can succeed. */
  retryAfter: z.optional(z.int()),
  /** Names the line of the server's log that tells the whole story of an unexpected error. */
  reference: z.optional(z.string()),
});
export type Problem = z.infer<typeof Problem>;
