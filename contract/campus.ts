import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { NewPassword } from './fields.ts';
import { TermsVersion, User } from './identity.ts';
import { ClaimResult } from './membership.ts';
import { Problem } from './problem.ts';
import { Timestamp } from './timestamp.ts';

/** The next step that the page `/campus` offers after the provider redirected the browser back. */
const steps = ['sign-up', 'sign-in', 'connect', 'confirm', 'done', 'other-account', 'other-identity'] as const;

/** Why the provider's answer cannot be used. */
const failures = ['cancelled', 'unavailable', 'refused', 'wrong-account', 'no-address'] as const;
export type CampusFailure = (typeof failures)[number];

export const affiliations = ['student', 'alum'] as const;
export type Affiliation = (typeof affiliations)[number];

export const CampusArrival = z.object({
  next: z.enum([...steps, ...failures, 'problem']),
  /** The address that the provider confirmed, or with `wrong-account` the one that is not of the university. */
  email: z.nullable(z.string()),
  name: z.string(),
  affiliation: z.nullable(z.enum(affiliations)),
  /** With `refused`, the reference of the log line. Otherwise empty. */
  detail: z.string(),
  /** With `problem`, why the archive refused the sign-in. */
  problem: z.optional(Problem),
  /** Where the person wanted to go. Not validated, like the parameter of `/login`. */
  from: z.nullable(z.string()),
});
export type CampusArrival = z.infer<typeof CampusArrival>;

export const CampusConnection = z.object({ email: z.string(), connectedAt: Timestamp, usedAt: Timestamp });
export type CampusConnection = z.infer<typeof CampusConnection>;

/** The provider's answer is in a cookie, for ten minutes. */
export const campusEndpoints = defineEndpoints({
  'GET /api/identity/campus': {
    summary: 'Get the university account that is connected with the caller’s account',
    access: 'session',
    response: z.object({
      connection: z.nullable(CampusConnection),
      /** Last day of the account’s address, from the year in which the university ends it. Otherwise null. */
      addressEndsOn: z.nullable(z.string()),
    }),
    problems: ['not-found'],
  },
  'GET /api/identity/campus/arrival': {
    summary: 'Get the identity that the provider returned, and the next step',
    access: 'everyone',
    response: CampusArrival,
    problems: ['auth/sign-in-expired', 'not-found'],
  },
  'POST /api/identity/campus/sign-up': {
    summary: 'Create an account with the address that the provider confirmed, and sign in',
    access: 'everyone',
    body: z.strictObject({ password: NewPassword, terms: TermsVersion }),
    response: z.object({ user: User }),
    problems: [
      'auth/credential-already-in-use',
      'auth/email-already-in-use',
      'auth/password-does-not-meet-requirements',
      'auth/sign-in-expired',
      'not-found',
      'terms-changed',
    ],
  },
  'POST /api/identity/campus': {
    summary: 'Connect the university account, and end all other sessions',
    access: 'verified',
    needsRecentPassword: true,
    problems: ['auth/credential-already-in-use', 'auth/provider-already-linked', 'auth/sign-in-expired', 'not-found'],
  },
  'DELETE /api/identity/campus': {
    summary: 'Disconnect the university account. Also succeeds if none is connected',
    access: 'session',
    needsRecentPassword: true,
    problems: ['not-found'],
  },
  'POST /api/membership/campus': {
    summary: 'Claim membership with what the provider said. Needs the connected university account',
    access: 'onboarded',
    feature: 'confirmation',
    response: ClaimResult,
    problems: ['auth/sign-in-expired'],
  },
});
