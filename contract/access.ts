import type { ProblemCode } from './problem.ts';
import type { StaffRight } from './staff/values.ts';

/** Who may call an endpoint, with the description of each level for the API description. */
export const accessLevels = {
  everyone: 'everyone, also without a session',
  session: 'signed-in accounts',
  verified: 'accounts with a verified email address',
  onboarded: 'accounts with a verified email address and a profile, which may still have to be confirmed',
  confirmed: 'accounts with a verified email address that need no confirmation (any more), with or without a profile',
  member: 'members: verified, with a profile, and confirmed if the institution requires it',
  staff: 'accounts with a role of staff, even without a second factor',
} as const;
export type AccessLevel = keyof typeof accessLevels;

/**
 * A level, or staff who have a right. One of several rights is enough. Staff also need a second factor without a
 * pending approval, and a password of the last 12 hours.
 */
export type Access = AccessLevel | { readonly staff: StaffRight | readonly StaffRight[] };

/** Parts of the API that an institution can turn off. Their endpoints then respond with `not-found` to everyone. */
export type Feature = 'confirmation' | 'vouching' | 'invitations' | 'tracer';

export interface AccessRule {
  readonly access: Access;
  readonly feature?: Feature;
  /** Whether the password must have been entered within the last five minutes. */
  readonly needsRecentPassword?: boolean;
}

const sessionProblems: readonly ProblemCode[] = ['auth/unauthenticated', 'auth/unverified-email', 'permission-denied'];

/** Returns the problem codes that an endpoint adds to `commonProblems`. Actions of staff are also limited in number. */
export function listProblems(endpoint: AccessRule & { readonly problems?: readonly ProblemCode[] }): ProblemCode[] {
  const { access, feature, needsRecentPassword, problems = [] } = endpoint;
  const isStaff = typeof access !== 'string';
  const length = access === 'everyone' ? 0 : access === 'session' ? 1 : access === 'verified' ? 2 : 3;
  const codes: readonly ProblemCode[] = [
    ...sessionProblems.slice(0, length),
    ...(isStaff || needsRecentPassword ? (['auth/requires-recent-login'] as const) : []),
    ...(isStaff ? (['staff/too-many-requests'] as const) : []),
    ...(feature ? (['not-found'] as const) : []),
    ...problems,
  ];
  return [...new Set(codes)];
}

export const describeAccess = ({ access, needsRecentPassword }: AccessRule): string =>
  (typeof access === 'string' ? accessLevels[access] : `staff with the right ${[access.staff].flat().join(' or ')}`) +
  (needsRecentPassword ? ', with a password of the last 5 minutes' : '');
