import * as z from 'zod/mini';

/**
 * All codes of error responses. The `auth/…` codes are those of common identity services (D19 in docs/conformance.md).
 * The browser chooses its texts by the code.
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
  'auth/credential-already-in-use',
  'auth/provider-already-linked',
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
  'membership/wrong-code',
  'roster/refused',
  'staff/refused',
  'staff/too-many-requests',
  'review/changed',
  'review/decided',
  'review/leased',
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

/** Codes that every endpoint can respond with. Other codes are listed with the endpoint. */
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

/** An invalid field. `pointer` is a JSON pointer into the body (RFC 6901), e.g. `/academic/year/admitted`. */
export const FieldProblem = z.object({ pointer: z.string(), message: z.string() });
export type FieldProblem = z.infer<typeof FieldProblem>;

/** The body of every error response: `application/problem+json` (RFC 9457) with a stable `code`. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: ProblemCode,
  detail: z.optional(z.string()),
  errors: z.optional(z.array(FieldProblem)),
  /** Seconds until another attempt can succeed. */
  retryAfter: z.optional(z.int()),
  /** Identifies the server's log line about an unexpected error. */
  reference: z.optional(z.string()),
});
export type Problem = z.infer<typeof Problem>;
