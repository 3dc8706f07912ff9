import type * as z from 'zod/mini';
import type { Access, AccessLevel, Feature } from '#contract/access.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import type { OwnStaff } from '#contract/staff/scope.ts';
import { type StaffRight, invitationRights } from '#contract/staff/values.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import {
  type ConfirmedSession,
  type MemberSession,
  type OnboardedSession,
  type Principal,
  type VerifiedSession,
  requireConfirmed,
  requireMember,
  requireOnboarded,
  requireRecentSignIn,
  requireSession,
  requireVerified,
} from '../accounts/authentication.ts';
import type { Context } from '../context.ts';
import { requiresConfirmation } from '../membership/membership.ts';
import type { Session } from '../accounts/sessions.ts';
import { type Staff, type StaffOfAny, findOwnStaff, requireStaff, requireStaffOfAny } from '../staff/guard.ts';

interface Callers {
  readonly everyone: unknown;
  readonly session: { readonly session: Session };
  readonly verified: { readonly session: VerifiedSession };
  readonly onboarded: { readonly session: OnboardedSession };
  readonly confirmed: { readonly session: ConfirmedSession };
  readonly member: { readonly session: MemberSession };
  readonly staff: { readonly ownStaff: z.input<typeof OwnStaff> };
}

export type CallerOf<A extends Access> = A extends AccessLevel
  ? Callers[A]
  : A extends { readonly staff: StaffRight }
    ? { readonly staff: Staff }
    : { readonly staff: StaffOfAny };

/**
 * Checks the access rule of an endpoint.
 * @returns the caller, as `CallerOf` says
 * @throws ProblemError with one of the codes that `listProblems` (`contract/access.ts`) adds for the rule
 */
export type Authorize = (endpoint: Endpoint, exchange: Exchange) => Promise<object>;

export function createAuthorize(context: Context): Authorize {
  const { db, authentication, institution } = context;
  const confirmsMembers = () => requiresConfirmation(db);
  const features: Record<Feature, () => Promise<boolean>> = {
    confirmation: confirmsMembers,
    invitations: async () => institution.allowsInvitations,
    tracer: async () => institution.tracerReport,
    vouching: async () => institution.acceptedEvidence.includes('peer-vouch') && confirmsMembers(),
  };
  return async ({ access, feature, needsRecentPassword, events }, exchange) => {
    if (feature && !(await features[feature]())) throw new ProblemError('not-found');
    if (access === 'everyone') return {};
    // `authenticate` renews the session cookie, which an event stream cannot set.
    const principal = await (events
      ? authentication.authenticateAgain(exchange.request)
      : authentication.authenticate(exchange));
    const caller = await findCaller(context, principal, access);
    if (needsRecentPassword) requireRecentSignIn(requireSession(principal));
    return caller;
  };
}

const requireLevel = {
  session: requireSession,
  verified: requireVerified,
  onboarded: requireOnboarded,
  confirmed: requireConfirmed,
  member: requireMember,
} as const;

async function findCaller(
  { db, institution }: Pick<Context, 'db' | 'institution'>,
  principal: Principal,
  access: Exclude<Access, 'everyone'>,
): Promise<object> {
  if (access === 'staff') {
    const ownStaff = await findOwnStaff(db, principal);
    const off = new Set<StaffRight>([
      ...(institution.allowsInvitations ? [] : invitationRights),
      ...(institution.tracerReport ? [] : (['tracer'] as const)),
    ]);
    return { ownStaff: { ...ownStaff, rights: ownStaff.rights.filter((right) => !off.has(right)) } };
  }
  if (typeof access === 'string') return { session: requireLevel[access](principal) };
  const { staff } = access;
  return {
    staff: await (typeof staff === 'string'
      ? requireStaff(db, principal, staff)
      : requireStaffOfAny(db, principal, staff)),
  };
}
