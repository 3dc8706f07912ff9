import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { Id, jsonText, orEmpty, prose } from '../fields.ts';
import { fieldLengths } from '../field-lengths.ts';
import { maxLineLength } from '../filter-limits.ts';
import {
  itemStates,
  maxDecidedTogether,
  reviewKinds,
  type ReviewKind,
  reportOutcomes,
  reviewRights,
} from './values.ts';

const Text = prose(fieldLengths.messageMax);
const OptionalText = z.optional(orEmpty(Text));

/** A decision about an item. It takes effect after 30 seconds, until then it can be undone. */
export const ReviewDecision = z.discriminatedUnion('outcome', [
  /** A claim: the entry is this person. Null: the person is on no roster. */
  z.strictObject({ outcome: z.literal('confirm'), entryId: z.nullable(z.int()), seen: Text }),
  /** A claim. The user reads the reason. */
  z.strictObject({ outcome: z.literal('reject'), reason: Text, isImpostor: z.optional(z.boolean()) }),
  /** A dispute: the holder keeps the entry, or the other account gets it. */
  z.strictObject({ outcome: z.enum(['keep', 'transfer']), isImpostor: z.optional(z.boolean()) }),
  /** A report. The reporter gets no text; the reported person reads `text`. */
  z.strictObject({ outcome: z.enum(reportOutcomes), text: OptionalText }),
  z.strictObject({ outcome: z.enum(['accept', 'refuse']), text: OptionalText }),
]);
export type ReviewDecision = z.infer<typeof ReviewDecision>;
export type ReviewOutcome = ReviewDecision['outcome'];

export const outcomesOf = {
  claim: ['confirm', 'reject'],
  dispute: ['keep', 'transfer'],
  report: reportOutcomes,
  correction: ['accept', 'refuse'],
  change: ['accept', 'refuse'],
} as const satisfies Record<ReviewKind, readonly ReviewOutcome[]>;

export type OutcomeOf<Kind extends ReviewKind> = (typeof outcomesOf)[Kind][number];
type Decisions = { readonly [Kind in ReviewKind]: Extract<ReviewDecision, { outcome: OutcomeOf<Kind> }> };
export type DecisionOf<Kind extends ReviewKind> = Decisions[Kind];

export const isDecisionOf = <Kind extends ReviewKind>(
  kind: Kind,
  decision: ReviewDecision,
): decision is DecisionOf<Kind> => (outcomesOf[kind] as readonly string[]).includes(decision.outcome);

const reviewItemsPerPage = 50;

export const ReviewLease = z.object({
  /** Name, or the address of an account without a profile. */
  by: z.string(),
  isOwn: z.boolean(),
  until: Timestamp,
});
export type ReviewLease = z.infer<typeof ReviewLease>;

/** How an item was decided. It stays like this: reopening opens another item. */
export const ClosedItem = z.object({
  at: Timestamp,
  /** A code: the outcome of the decision, or how the item ended without one, such as `withdrawn`. */
  outcome: z.string(),
  /** Null: the operator, the system, the person themselves, or a deleted account. */
  by: z.nullable(z.string()),
  /** What the person who claimed, changed or proposed something read. May be empty. */
  text: z.string(),
  reopenedAs: z.nullable(Id),
});
export type ClosedItem = z.infer<typeof ClosedItem>;

export const ReviewItem = z.object({
  kind: z.enum(reviewKinds),
  id: Id,
  since: Timestamp,
  name: z.nullable(z.string()),
  /** The matric number and the class that it is about, for lists. Empty if it is about none. */
  about: z.string(),
  /** Why it is pending, a code: one of `claimReasons` and `disputeReasons`, or the reason of a report or correction. */
  reason: z.string(),
  /** Changes with what staff see. A decision contains the version of the detail that it is about. */
  version: z.string(),
  /** The last question about a claim. */
  askedAt: z.nullable(Timestamp),
  answeredAt: z.nullable(Timestamp),
  lease: z.nullable(ReviewLease),
  noteCount: z.int(),
  /** A decision that has not taken effect yet. `id` is null for decisions of other people. */
  decision: z.nullable(
    z.object({ id: z.nullable(Id), outcome: z.string(), by: z.string(), isOwn: z.boolean(), undoUntil: Timestamp }),
  ),
  /** Why the last decision could not be carried out, as text for staff. */
  failure: z.nullable(z.string()),
  closed: z.nullable(ClosedItem),
  reopenedFrom: z.nullable(Id),
});
export type ReviewItem = z.infer<typeof ReviewItem>;

export const ReviewCount = z.object({
  kind: z.enum(reviewKinds),
  waiting: z.int(),
  /**
   * Whether more items are pending than were counted. Only for staff with a limited scope, because the scope of each
   * item is looked up.
   */
  hasMore: z.boolean(),
  oldest: z.nullable(Timestamp),
});

export const ReviewQueue = z.object({
  items: z.array(ReviewItem),
  next: z.nullable(z.string()),
  /** One for each kind that the caller may decide. Empty on pages after the first. */
  counts: z.array(ReviewCount),
});
export type ReviewQueue = z.infer<typeof ReviewQueue>;

export const ReviewNote = z.object({
  id: Id,
  by: z.string(),
  isOwn: z.boolean(),
  createdAt: Timestamp,
  text: z.string(),
});
export type ReviewNote = z.infer<typeof ReviewNote>;

const itemParams = z.strictObject({ kind: z.enum(reviewKinds), id: Id });
const itemProblems = ['not-found'] as const;

export const staffReviewEndpoints = defineEndpoints({
  'GET /api/staff/queue': {
    summary:
      'List the items that the caller may decide, oldest first, or those that are decided, latest first, one page at a time',
    access: { staff: reviewRights },
    query: z.strictObject({
      state: z._default(z.enum(itemStates), 'open'),
      person: z.optional(Id),
      kind: z.optional(z.enum(reviewKinds)),
      /** Beginnings of words of the name. */
      name: z.optional(jsonText(fieldLengths.lineMax)),
      department: z.optional(jsonText(maxLineLength)),
      /** Omits claims with a question that is not answered. */
      hideAsked: z.optional(z.literal('yes')),
      after: z.optional(z.string().check(z.maxLength(200))),
      limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), reviewItemsPerPage),
    }),
    response: ReviewQueue,
  },
  'GET /api/staff/queue/{kind}/{id}': {
    summary: 'Get an item of the queue, also after the decision, with its notes',
    access: { staff: reviewRights },
    params: itemParams,
    response: z.object({ item: ReviewItem, notes: z.array(ReviewNote) }),
    problems: itemProblems,
  },
  'PUT /api/staff/queue/{kind}/{id}/lease': {
    summary:
      'Lease an item for 15 minutes, or extend the lease. Does nothing while another member of staff has it, unless `takeOver` is true. Refused if the item is already decided',
    access: { staff: reviewRights },
    params: itemParams,
    body: z.strictObject({ takeOver: z.optional(z.boolean()) }),
    /** Of the other member of staff, if they have it. */
    response: ReviewLease,
    problems: [...itemProblems, 'review/decided'],
  },
  'DELETE /api/staff/queue/{kind}/{id}/lease': {
    summary: 'End the caller’s lease of an item. Succeeds even if there is none',
    access: { staff: reviewRights },
    params: itemParams,
    problems: itemProblems,
  },
  'POST /api/staff/queue/{kind}/{id}/notes': {
    summary: 'Add a note to an item, for other staff',
    access: { staff: reviewRights },
    params: itemParams,
    body: z.strictObject({ text: Text }),
    response: ReviewNote,
    problems: itemProblems,
  },
  'POST /api/staff/queue/{kind}/{id}/decision': {
    summary:
      'Decide an item. The decision takes effect after 30 seconds. Refused if the item has changed, is already decided or is held by another member of staff',
    access: { staff: reviewRights },
    params: itemParams,
    body: z.strictObject({ decision: ReviewDecision, version: z.string().check(z.maxLength(100)) }),
    response: z.object({ id: Id, undoUntil: Timestamp }),
    problems: [...itemProblems, 'review/changed', 'review/decided', 'review/leased'],
  },
  'POST /api/staff/queue/{kind}/{id}/reopen': {
    summary:
      'Open a decided item again, as a new item with the same content. The decided one stays as it is. The reason becomes a note. Refused if the decision has taken effect and is taken back in another way, for example by withdrawing a confirmation',
    access: { staff: reviewRights },
    params: itemParams,
    body: z.strictObject({ reason: Text }),
    response: z.object({ id: Id }),
    problems: [...itemProblems, 'staff/refused'],
  },
  'POST /api/staff/queue/claims/confirm': {
    summary:
      'Confirm claims that agree completely with a roster entry whose address was asked seven days ago and did not object. Each decision takes effect after 30 seconds and has its own record. Other items stay in the queue. Needs a password of the last 5 minutes',
    access: { staff: reviewRights },
    needsRecentPassword: true,
    body: z.strictObject({
      items: z
        .array(z.strictObject({ id: Id, version: z.string().check(z.maxLength(100)) }))
        .check(z.minLength(1), z.maxLength(maxDecidedTogether)),
    }),
    response: z.object({ decided: z.array(Id) }),
  },
  'DELETE /api/staff/decisions/{id}': {
    summary: 'Undo a decision of the caller before it takes effect',
    access: { staff: reviewRights },
    params: z.strictObject({ id: Id }),
    problems: [...itemProblems, 'review/decided'],
  },
});
