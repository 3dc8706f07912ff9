import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id, prose } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';
import { evidenceKinds } from './membership.ts';
import { TypedValues } from './staff-claims.ts';
import { staffProblems } from './staff.ts';

const at = z.string();
/** Name of a person, or their address without a profile. Null: an operator, a job, or a deleted account. */
const by = z.nullable(z.string());

const Seen = z.object({
  firstName: z.string(),
  lastName: z.string(),
  department: z.nullable(z.string()),
  yearGraduated: z.nullable(z.int()),
});

/** What happened to the membership of an account. */
export const MembershipEvent = z.discriminatedUnion('kind', [
  /** A claim, or a request for a mailed code. `birthDate`: compared with the attempt before, because staff never see the date. */
  z.object({
    kind: z.literal('attempt'),
    at,
    way: z.enum(['claim', 'mailed-code']),
    typed: TypedValues,
    birthDate: z.enum(['first', 'same', 'changed']),
  }),
  /** A claim was closed. */
  z.object({
    kind: z.literal('decision'),
    at,
    claimId: Id,
    state: z.enum(['confirmed', 'rejected', 'withdrawn', 'expired']),
    decidedBy: z.nullable(z.enum(['automatic', 'operator', 'staff'])),
    by,
    reason: z.string(),
  }),
  /** Evidence that was accepted, with what staff saw and the entry that it is for. `entry` is null if there is none, or it is out of scope. */
  z.object({
    kind: z.literal('evidence'),
    at,
    evidence: z.enum(evidenceKinds),
    detail: z.string(),
    entry: z.nullable(z.object({ matricNumber: z.string(), name: z.string() })),
    withdrawnAt: z.nullable(z.string()),
  }),
  /** The answer of a member, with what they saw. `seen` is null if it was not recorded. */
  z.object({
    kind: z.literal('vouch'),
    at,
    by,
    answer: z.enum(['yes', 'unsure', 'no']),
    seen: z.nullable(Seen),
    endedAt: z.nullable(z.string()),
  }),
  /** Staff found that the account posed as someone else. */
  z.object({ kind: z.literal('impostor'), at, by }),
]);
export type MembershipEvent = z.infer<typeof MembershipEvent>;

const params = z.strictObject({ id: Id });

export const staffHistoryEndpoints = defineEndpoints({
  'GET /api/staff/people/{id}/membership-history': {
    summary:
      'List everything that happened to the membership of a person, the latest first. Staff who decide only reports get no typed values and no vouches',
    params,
    response: z.object({ events: z.array(MembershipEvent) }),
    problems: [...staffProblems, 'not-found'],
  },
  'POST /api/staff/claims/{id}/reopen': {
    summary:
      'Return a claim that was rejected or withdrawn, or has expired, to the review queue. The reason becomes a note',
    params,
    body: z.strictObject({ reason: prose(fieldLengths.messageMax) }),
    response: z.object({ id: Id }),
    problems: [...staffProblems, 'not-found', 'staff/refused'],
  },
});
