import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { Id } from '../fields.ts';
import { evidenceKinds } from '../membership.ts';
import { TypedValues } from './claims.ts';
import { clearanceReasons } from './people-values.ts';

/** Name of a person, or their address without a profile. Null: an operator, a job, or a deleted account. */
const by = z.nullable(z.string());

const Seen = z.object({
  firstName: z.string(),
  lastName: z.string(),
  department: z.nullable(z.string()),
  yearGraduated: z.nullable(z.int()),
});

const Attempt = z.object({
  way: z.enum(['claim', 'mailed-code']),
  typed: TypedValues,
  /** Compared with the attempt before, because staff never see the date. */
  birthDate: z.enum(['first', 'same', 'changed']),
});

const Decision = z.object({
  claimId: Id,
  state: z.enum(['confirmed', 'rejected', 'withdrawn', 'expired']),
  decidedBy: z.nullable(z.enum(['automatic', 'operator', 'staff'])),
  by,
  reason: z.string(),
});

const Evidence = z.object({
  evidence: z.enum(evidenceKinds),
  detail: z.string(),
  /** Null if the evidence is for no entry, or for one that is out of scope. */
  entry: z.nullable(z.object({ matricNumber: z.string(), name: z.string() })),
  withdrawnAt: z.nullable(Timestamp),
});

const Vouch = z.object({
  by,
  answer: z.enum(['yes', 'unsure', 'no']),
  /** What the member saw; null if it was not recorded. */
  seen: z.nullable(Seen),
  endedAt: z.nullable(Timestamp),
});

const Impostor = z.object({
  by,
  /** Null while the mark stands. */
  cleared: z.nullable(z.object({ at: Timestamp, by, reason: z.enum(clearanceReasons) })),
});

export const MembershipEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('attempt'), at: Timestamp, ...Attempt.shape }),
  z.object({ kind: z.literal('decision'), at: Timestamp, ...Decision.shape }),
  z.object({ kind: z.literal('evidence'), at: Timestamp, ...Evidence.shape }),
  z.object({ kind: z.literal('vouch'), at: Timestamp, ...Vouch.shape }),
  z.object({ kind: z.literal('reopened'), at: Timestamp, by, reason: z.string() }),
  z.object({ kind: z.literal('impostor'), at: Timestamp, ...Impostor.shape }),
]);
export type MembershipEvent = z.infer<typeof MembershipEvent>;

/** A `MembershipEvent` as one object, because responses contain no unions. */
const WireEvent = z.object({
  kind: z.enum(['attempt', 'decision', 'reopened', 'evidence', 'vouch', 'impostor']),
  at: Timestamp,
  ...z.partial(Attempt).shape,
  ...z.partial(Decision).shape,
  ...z.partial(Evidence).shape,
  ...z.partial(Vouch).shape,
  ...z.partial(Impostor).shape,
});

const params = z.strictObject({ id: Id });

export const staffHistoryEndpoints = defineEndpoints({
  'GET /api/staff/people/{id}/membership-history': {
    summary:
      'List everything that happened to the membership of a person, the latest first. Staff who decide only reports get no typed values and no vouches',
    access: { staff: ['claims', 'reports'] },
    params,
    response: z.object({ events: z.array(WireEvent) }),
    problems: ['not-found'],
  },
});
